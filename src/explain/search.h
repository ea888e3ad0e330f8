// A run that does not fail and differs little from the failing one: pairs are reversed one at a time, nearest to the
// failure first, by guided executions, and the first pair whose reversal avoids the failure is kept (Symbiosis,
// section 4.4 of the thesis; there a solver says which reversals are possible, here the program does).
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "src/explain/pairs.h"
#include "src/simplify/trial.h"

namespace heddle {

enum class Tried : std::uint8_t {
  kPasses,        // reversed, and the program did not fail
  kFails,         // reversed, and the same failure: this order is no part of the cause
  kFailsOtherwise,
  kImpossible,    // the second event did not come before the first one
  kUnknown,       // it was cut off, or left what it could be compared with
};

/// How far an execution is from the failing one. Less is nearer.
struct Distance {
  std::uint64_t orders = 0;  // pairs of pairs_of() that are reversed, or that have an event that did not happen
  std::uint64_t switches = 0, preemptions = 0;
  auto operator<=>(const Distance&) const = default;
};

struct Reversal {
  Pair pair;
  Tried tried = Tried::kUnknown;
};

struct Alternate {
  Pair pair;  // by whose reversal it was found
  Distance distance;
  Trial trial;
};

struct SearchLimits {
  std::uint64_t executions = 1'000;
  std::chrono::milliseconds time{20'000};
  const std::atomic<bool>* stop = nullptr;
};

struct Found {
  std::optional<Alternate> nearest;
  std::vector<Reversal> reversals;  // what was tried of pairs that happened, nearest to the failure first
  std::uint64_t executions = 0;
  std::uint64_t passed = 0, failed = 0, failed_otherwise = 0, not_reversed = 0, unknown = 0;  // among them
  bool interrupted = false, out_of_time = false;
  std::uint64_t left_out = 0;  // pairs that were not tried, for lack of time
};

/// `failing` is the trace of `execution`, whose guided execution by `trials` fails. Errors: the program cannot be
/// controlled any more.
Result<Found> search_alternate(Trials& trials, const Execution& execution, const Observed& failing,
                               const SearchLimits& limits, const std::function<void(const Found&)>& on_progress);

}  // namespace heddle
