// The pattern of a failure, from what was executed: the failing execution, the nearest one that does not fail, and what
// differs between them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "src/explain/comparison.h"
#include "src/explain/search.h"

namespace heddle {

enum class Pattern : std::uint8_t { kUnknown, kAtomicity, kOrder, kDeadlock, kLostWakeUp, kLivelock };
/// "atomicity", "lost wake-up": as in --json.
std::string_view token(Pattern pattern);

struct Verdict {
  Pattern pattern = Pattern::kUnknown;
  /// Of the failing execution, in its order. Atomicity: the first access of a thread, what came in between, and the
  /// access of the same thread that it came before. Order: what came too early, and (if it happened) what had to come
  /// first. Deadlock: the acquisitions. Lost wake-up: the signal and the wait.
  std::vector<At> events;
  /// Of the alternate execution: what did not happen in the failing one.
  std::vector<At> events_there;
  /// kLostWakeUp: the events are a signal that came before the wait and woke nobody, and that wait.
  bool signal_was_lost = false;
  /// Of the failure's edges: those of the cycle, or those that nobody blocked could resolve.
  std::vector<std::size_t> edges;
};

Verdict verdict_of(const Observed& failing, const Observed& alternate, const Comparison& comparison,
                   const Pair& reversed);
/// Without an alternate: what the failure itself says.
Verdict verdict_of(const Observed& failing);

}  // namespace heddle
