// What a system call writes into the program's memory, walked the same way when it is recorded and when it is fed.
#pragma once
#include "runtime/io/stream.h"

namespace heddle::rt {

/// Before the call: lengths that the kernel overwrites.
void shape_before(Call& c);
/// After the call: appends what it wrote.
void shape_record(const Call& c, long result, RecordWriter& out);
/// Instead of the call: writes what was recorded. False: the record does not fit this call.
bool shape_feed(const Call& c, const HeddleInput& record);

}  // namespace heddle::rt
