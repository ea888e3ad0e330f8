// What a trace says in numbers, not in words: how a run failed, what its threads did then, and what they waited for.
//
// Rules of this file: numbers are part of the file format, and tokens are part of signatures, of --json and of reports:
// append, never change. A token is not for people: their text is in src/show/kind_text.h and can be reworded at will.
// Versions of heddle that wrote words only are understood by src/trace/old_words.h.
#pragma once
#include <cstdint>
#include <string_view>

#include "abi/events.h"
#include "abi/region.h"

namespace heddle {

using FailureKind = HeddleFailureKind;

/// "assertion", "deadlock": DESIGN.md, "Kinds".
std::string_view token(FailureKind kind);

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

/// The address of a fault.
enum class AddressClass : std::uint8_t { kNone, kStackOverflow, kNull, kCloseToNull, kInvalid, kNotAllowed, kCount };

}  // namespace heddle
