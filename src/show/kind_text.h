// The numbers of src/trace/kinds.h in words, for people. Reword freely: nothing reads this text again. What identifies
// a failure or is compared by programs is made of tokens (src/trace/kinds.h).
#pragma once
#include <string>
#include <string_view>

#include "src/trace/trace.h"

namespace heddle {

std::string_view to_text(FailureKind kind);
/// "lock", "join": the operation that a thread waits in.
std::string_view to_text(WaitKind kind);
std::string_view to_text(AddressClass address);
/// "mutex", "semaphore"
std::string_view to_text(ObjectClass object_class);
/// "recorded, lifted"
std::string_view to_text(TraceSource source);
/// "read", "atomic cas": an access of a data race, by its event kind. A range is an access like any other.
std::string access_word(std::uint32_t event_kind);

/// "waits for lock m", "waits for thread 0.1 to end"; `object`: its name, empty if unknown.
std::string wait_phrase(WaitKind wait, std::string_view object);
/// "running", "waits for lock m held by 0.2", "about to lock m", "sleeps", "in i/o: read()".
std::string to_text(const ThreadState& state);
/// "lock m", "join 0.1": behind "0.1 waits: ".
std::string to_text(const DeadlockEdge& edge);
/// Somebody else has what the thread waits for.
bool is_held(const DeadlockEdge& edge);

}  // namespace heddle
