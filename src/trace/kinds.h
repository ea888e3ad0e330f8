// What a trace says in numbers, not in words: how the run came to be, how it failed, what its threads did then and what
// they waited for.
//
// Rules of this file: numbers are part of the file format, and tokens are part of signatures, of --json and of reports:
// append, never change. A token is not for people: their text is in src/show/kind_text.h and can be reworded at will.
// Versions of heddle that wrote words only are understood by src/trace/old_words.h.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "abi/events.h"
#include "abi/region.h"

namespace heddle {

using FailureKind = HeddleFailureKind;

/// "assertion", "deadlock": DESIGN.md, "Kinds".
std::string_view token(FailureKind kind);

/// What an event does: a column of the table in abi/events.h.
using EventClass = HeddleEventClass;
/// "acquire", as viewers tell classes apart: a lock is taken, or tried, in whatever way.
std::string_view token(EventClass event_class);
/// A lock is taken or tried, alone or together with others.
bool acquires(EventClass event_class);

/// Of a synchronisation object: likewise a column, which is asked with the kind of an event that uses it.
using ObjectClass = HeddleObjectClass;

/// Where the name of an object comes from.
enum class NameOrigin : std::uint8_t {
  kProgram,  // a variable, or an expression of the source
  kNumber,   // it has none: "mutex#2"
  kLibc,     // the object stands for a lock inside libc
  kRuntime,  // the object is in Heddle's own runtime
  kCount
};

/// What a thread that cannot go on waits for.
enum class WaitKind : std::uint8_t {
  kUnknown,
  kLock,
  kReadLock,
  kWriteLock,
  kSpinLock,
  kSignal,  // of a condition variable
  kWakeUp,  // of a futex
  kSemaphore,
  kBarrier,
  kOnce,
  kThread,  // its end
  kSleep,
  kSystemCall,
  kSignalHandler,
  kCount
};
/// "lock", "join": what a deadlock's signature says of a wait.
std::string_view token(WaitKind kind);
/// Of a thread whose pending operation is an event of that kind.
WaitKind wait_kind(std::uint32_t event_kind);

enum class Activity : std::uint8_t {
  kUnknown,
  kRunning,
  kWaiting,  // ThreadState::wait says for what
  kAboutTo,  // could execute ThreadState::operation, and was not chosen
  kSleeping,
  kOutside,  // in a system call, outside of control
  kFinished,
  kEnding,  // in libc's end of it
  kNotStarted,
  kCount
};
/// "waits", "about to".
std::string_view token(Activity activity);

/// How the execution of a trace came to be.
enum class TraceSource : std::uint8_t {
  kHunted,    // its schedule was chosen by a strategy
  kRecorded,  // its threads ran in parallel: nobody chose, so its seed and run mean nothing
  kLifted,    // a recording that was brought into a schedule of points (src/lift)
  kCount
};
/// "recorded"
std::string_view token(TraceSource source);

/// "sync", "racy", "all": as on the command line.
std::string_view token(HeddlePointSet points);
/// Of what is none of them: nothing.
std::optional<HeddlePointSet> point_set_named(std::string_view token);

/// "read", "atomic cas": an access of a data race, by its event kind. A range is an access like any other.
std::string_view access_token(std::uint32_t event_kind);

/// The address of a fault.
enum class AddressClass : std::uint8_t { kNone, kStackOverflow, kNull, kCloseToNull, kInvalid, kNotAllowed, kCount };

}  // namespace heddle
