// Searches for a failing schedule: many executions, one program instance per worker, the same result for every number
// of workers.
#pragma once
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/engine/conditions.h"
#include "src/engine/environment.h"
#include "src/engine/execute.h"
#include "src/engine/options.h"
#include "src/hunt/coverage.h"
#include "src/hunt/cut_off.h"
#include "src/hunt/epochs.h"
#include "src/hunt/strategy.h"
#include "src/result/result.h"

namespace heddle {

struct HuntRequest {
  WorkerOptions worker;  // the program; `stop` is the user's
  Options options;
  FailureConditions conditions;
  Strategy strategy = Strategy::kAuto;
  std::optional<std::uint32_t> bound;  // of icb: preemptions; none: it rises
  HeddlePointSet points = HEDDLE_POINTS_RACY;
  std::uint32_t depth = 0;  // of PCT; 0: varies with the run, 2 to 5
  std::uint64_t runs = 10'000;
  std::chrono::milliseconds time{60'000};  // of the search, and of what is executed again after it; 0: no limit
  std::uint64_t seed = 0;
  unsigned workers = 1;
  DetectorUse detector = DetectorUse::kAuto;
  TimeModel time_model = TimeModel::kLoose;
  bool keep_going = false;  // collects distinct failures until the budget is used up
};

struct HuntProgress {
  std::uint64_t runs = 0;  // finished
  double seconds = 0;
  std::size_t races = 0, racy_points = 0;
  std::uint32_t threads = 0;  // most seen in a run
  std::uint64_t longest = 0;  // steps
  CoverageSummary coverage;
  std::size_t failures = 0;  // distinct, with keep_going
};

/// A race with the run that showed it first.
struct FoundRace {
  HeddleRace race;
  std::uint64_t run = 0;
};

/// Runs that were in progress when the time was used up, and were stopped.
struct StoppedRuns {
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;    // of the longest of them
  std::uint32_t threads = 0;  // of that one
};

struct FailingRun {
  std::uint64_t index = 0;
  RunOutcome outcome;       // with evidence
  std::uint64_t times = 1;  // keep_going: runs that failed in this way
};

struct HuntResult {
  std::uint64_t runs = 0;  // lowest failing index + 1, or the number of runs executed
  double seconds = 0;
  bool interrupted = false;  // by the user
  bool out_of_time = false;
  StoppedRuns stopped;
  CutOffRuns cut_off;  // they count among `runs`
  std::vector<FoundRace> races;    // distinct by their pair of sites, in the order of run indices
  std::map<std::uint64_t, RunOutcome> race_runs;  // with evidence: the first runs that showed a race and did not fail
  std::vector<std::string> notes;  // distinct
  EnvironmentReads environment;    // of all runs that were made
  std::vector<Epoch> epochs;       // all that were entered
  std::vector<FailingRun>
      failures;  // the lowest failing run; keep_going: of each distinct one, in the order of indices
  CoverageSummary coverage;
  std::string complete;  // an exhaustive strategy is at its end: what was executed, in words
  HuntProgress progress;
};

/// Runs until the first failure, the budget's end, or `stop`. Calls `on_progress` now and then on the calling thread.
/// Errors: the program cannot be controlled. Where something failed before that, it is the result, and the error a
/// note.
Result<HuntResult> hunt(const HuntRequest& request, const std::function<void(const HuntProgress&)>& on_progress);

/// Of a single run; `epoch` is the one that holds it.
Pick pick_of(const HuntRequest& request, const Epoch& epoch, std::uint64_t index);

/// Run `index` as the hunt executed it (least detail), `epoch` being the one that holds it.
RunRequest plan_run(const HuntRequest& request, const Epoch& epoch, std::uint64_t index);

/// The epoch that holds `index`; it must have been entered.
const Epoch& epoch_of(const HuntResult& result, std::uint64_t index);

}  // namespace heddle
