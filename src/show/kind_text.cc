#include "src/show/kind_text.h"

#include <cstddef>

#include <fmt/format.h>

#include "src/show/names.h"

namespace heddle {
namespace {

constexpr std::string_view kFailures[] = {"failure",   "assertion", "abort",    "segfault", "bus",   "fpe",
                                          "ill",       "exception", "deadlock", "livelock", "hang",  "exit",
                                          "sanitizer", "output",    "check",    "race",     "signal"};
static_assert(std::size(kFailures) == HEDDLE_FAIL_COUNT);

struct WaitText {
  std::string_view operation, phrase, nameless;  // nameless: in place of the name of what has none
};
constexpr WaitText kWaits[] = {{"unknown", "waits in unknown {}", "?"},
                               {"lock", "waits for lock {}", "?"},
                               {"rdlock", "waits to read-lock {}", "?"},
                               {"wrlock", "waits to write-lock {}", "?"},
                               {"spin lock", "waits for spinlock {}", "?"},
                               {"wait", "waits for a signal on {}", "?"},
                               {"futex wait", "waits for a wake-up on {}", "?"},
                               {"sem wait", "waits for semaphore {}", "?"},
                               {"barrier", "waits for others at barrier {}", "?"},
                               {"once", "waits for once {}", "?"},
                               {"join", "waits for thread {} to end", "?"},
                               {"sleep", "waits in sleep {}", "?"},
                               {"system call", "waits in {}, which nobody ends", "a system call"},
                               {"suspend", "waits for a signal handler", ""}};
static_assert(std::size(kWaits) == static_cast<std::size_t>(WaitKind::kCount));

constexpr std::string_view kObjects[] = {"object",    "mutex",   "rwlock", "spinlock", "cond",
                                         "semaphore", "barrier", "once",   "futex"};
static_assert(std::size(kObjects) == std::size_t{HEDDLE_O_COUNT});

constexpr std::string_view kAddresses[] = {"",
                                           "stack overflow",
                                           "null pointer",
                                           "pointer close to null",
                                           "not a valid address",
                                           "address that is not mapped or not allowed"};
static_assert(std::size(kAddresses) == static_cast<std::size_t>(AddressClass::kCount));

/// A pending operation as the user calls it: a thread that is about to be woken still stands in its wait.
std::string operation_text(std::uint32_t event_kind) {
  const WaitKind wait = wait_kind(event_kind);
  return wait == WaitKind::kUnknown ? kind_text(event_kind) : std::string(to_text(wait));
}

std::string about_to(const ThreadState& state) {
  constexpr std::uint32_t kAtomic = HEDDLE_P_ACCESS | HEDDLE_P_SYNC;
  const std::string operation = operation_text(state.operation);
  if ((kind_properties(state.operation) & kAtomic) == kAtomic) return fmt::format("about to do an {}", operation);
  return fmt::format("about to {}{}{}", operation, state.object.empty() ? "" : " ", state.object);
}

}  // namespace

std::string_view to_text(FailureKind kind) { return kFailures[kind < HEDDLE_FAIL_COUNT ? kind : HEDDLE_FAIL_NONE]; }
std::string_view to_text(WaitKind kind) { return kWaits[static_cast<std::size_t>(kind)].operation; }
std::string_view to_text(AddressClass address) { return kAddresses[static_cast<std::size_t>(address)]; }

std::string_view to_text(ObjectClass object_class) { return kObjects[static_cast<std::size_t>(object_class)]; }
std::string_view to_text(TraceSource source) {
  switch (source) {
    case TraceSource::kRecorded:
      return "recorded";
    case TraceSource::kLifted:
      return "recorded, lifted";
    case TraceSource::kHunted:
    case TraceSource::kCount:
      break;
  }
  return "hunted";
}

std::string access_word(std::uint32_t event_kind) {
  switch (event_kind) {
    case HEDDLE_EV_READ_RANGE:
      return kind_text(HEDDLE_EV_READ);
    case HEDDLE_EV_WRITE_RANGE:
      return kind_text(HEDDLE_EV_WRITE);
    case HEDDLE_EV_NONE:
      return "access";
    default:
      return kind_text(event_kind);
  }
}

std::string wait_phrase(WaitKind wait, std::string_view object) {
  const WaitText& text = kWaits[static_cast<std::size_t>(wait)];
  return fmt::format(fmt::runtime(text.phrase), object.empty() ? text.nameless : object);
}

std::string to_text(const ThreadState& state) {
  switch (state.activity) {
    case Activity::kRunning:
      return "running";
    case Activity::kWaiting: {
      std::string text = wait_phrase(state.wait, state.object);
      if (!state.holder.empty() && state.wait != WaitKind::kThread) text += " held by " + state.holder;
      return state.timed ? text + ", with a timeout" : text;
    }
    case Activity::kAboutTo:
      return about_to(state);
    case Activity::kSleeping:
      return "sleeps";
    case Activity::kOutside:
      return state.object.empty() ? "in i/o" : "in i/o: " + state.object;
    case Activity::kFinished:
      return "finished";
    case Activity::kEnding:
      return "ending";
    case Activity::kNotStarted:
      return "not started yet";
    case Activity::kUnknown:
    case Activity::kCount:
      break;
  }
  return "unknown";
}

std::string to_text(const DeadlockEdge& edge) { return fmt::format("{} {}", to_text(edge.wait), edge.object); }

bool is_held(const DeadlockEdge& edge) { return !edge.holder.empty() && edge.wait != WaitKind::kThread; }

}  // namespace heddle
