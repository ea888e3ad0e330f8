// What the program itself changes outside, and which answers can depend on that: a file that it wrote and reads again,
// a pipe between two of its threads. In another order of its calls such answers would be others (stream.cc looks after
// that).
#pragma once
#include "runtime/io/call.h"

namespace heddle::rt {

/// Remembers the folder that the run starts in.
void changes_start();
/// Of a call that succeeded with this result: HEDDLE_CHANGED_*, what another run would see of it. 0: nothing.
uint32_t changed_files(const Call& c, long result);
/// Before a call is executed: kInputChanges, kInputMoves, kInputDepends of its record, with its descriptor (stream.h).
uint32_t order_of(const Call& c);

}  // namespace heddle::rt
