// Traces of before the numbers of src/trace/kinds.h said the same in English. This is the only place that reads it.
//
// Rules of this file: it knows the words that those versions wrote, whatever is written now, so it never changes.
#pragma once
#include <string_view>

#include "src/trace/trace.h"

namespace heddle::old_words {

/// Of what is no such word, the value for "unknown".
FailureKind failure_kind(std::string_view text);
WaitKind wait_kind(std::string_view operation);
/// "waits for lock m held by 0.2, with a timeout"
ThreadState thread_state(std::string_view text);

/// An access of a data race: its event kind.
std::uint32_t operation(std::string_view text);
TraceSource trace_source(std::string_view strategy);
HeddlePointSet point_set(std::string_view points);
NameOrigin name_origin(std::string_view name);
/// HeddleUnreplayable, from the notes of a run.
std::uint32_t unreplayable(const std::vector<std::string>& notes);

/// Everything that is known from `message` and `detail` of a failure whose `kind` is known.
void complete(FailureRecord& failure);

}  // namespace heddle::old_words
