// From a failing execution to one with fewer switches and preemptions that fails in the same way: Tinertia (Jalbert and
// Sen, "A trace simplification technique for effective debugging of concurrent programs", FSE 2010), by fewer
// executions.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "src/simplify/trial.h"

namespace heddle {

struct SimplifyOptions {
  bool exact = false;        // only variant traces in the strict sense: some of the original actions in another order
  bool one_by_one = false;   // as in the paper: no bisection, nothing remembered (for comparisons)
  std::uint64_t suffix = 0;  // only the last so many switches may change; 0: all
  const std::atomic<bool>* stop = nullptr;  // the user's; the best so far stays
};

struct SimplifyProgress {
  Cost cost;
  std::uint64_t executions = 0;
};

struct Simplified {
  Trial best;
  bool interrupted = false;
  std::uint64_t rounds = 0;  // of the paper's main loop
};

/// `original` is what the trace did. `first` is the trial of following it: it failed in the same way.
/// The result fails in the same way, is not costlier than `first`, and (unless interrupted) none of the paper's
/// operations makes it less costly. Errors: the program cannot be controlled any more.
Result<Simplified> simplify(Trials& trials, const Execution& original, Trial first, const SimplifyOptions& options,
                            const std::function<void(const SimplifyProgress&)>& on_progress);

}  // namespace heddle
