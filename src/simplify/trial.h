// Executes guides: does the program still fail in the same way when it is led like this?
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/engine/conditions.h"
#include "src/engine/execute.h"
#include "src/simplify/execution.h"

namespace heddle {

enum class InputSource {
  kReal,      // as in a hunt: the program asks the world, and what it does outside happens
  kRecorded,  // those of the trace; who asks for anything else has diverged
};

/// Where a thread that left its path can be back on it (abi/guide.h, HeddleGuide.anywhere).
enum class Rejoining {
  kAnywhere,  // wherever its next action occurs: a loop ended sooner
  kNear,      // not where much would be left out: a turn of a loop took another way
};

/// What came of one guided execution.
struct Trial {
  bool same_failure = false;
  bool interrupted = false;  // by the user: nothing is known
  std::uint32_t wrote_files = 0;  // HEDDLE_CHANGED_*; unknown (0) with recorded inputs
  Execution execution;  // as it was really executed
  RunOutcome outcome;   // with evidence
};

class Trials {
 public:
  /// `run` is the strict replay of the original trace, whose failure is `failure`. All must outlive this.
  Trials(Executor& executor, const RunRequest& run, const FailureConditions& conditions, const FailureRecord& failure);

  void use(InputSource inputs) { inputs_ = inputs; }
  InputSource inputs() const { return inputs_; }
  /// False: with real inputs only that counts as the same failure which would come again: no chance_in() its inputs.
  void accept_chance(bool accept) { accept_chance_ = accept; }
  /// True: waits with a time-out may end early wherever the guide goes on with their thread, unless the trace was made
  /// with --time-model virtual. False: only those of which the path says so.
  void let_waits_end_early(bool let) { early_waits_ = let; }
  /// `base` says what the threads of `turns` are expected to do. Errors: the program cannot be controlled any more.
  Result<Trial> execute(const Execution& base, const Turns& turns, Rejoining rejoining = Rejoining::kAnywhere);
  std::uint64_t executions() const { return executions_; }
  /// The strict replay of what an earlier trial did, with its inputs.
  RunRequest again(const Trial& trial) const;

 private:
  std::optional<std::string> differs(const RunOutcome& outcome, bool fed) const;

  Executor& executor_;
  const RunRequest& run_;
  const FailureConditions& conditions_;
  const FailureRecord& failure_;
  InputSource inputs_ = InputSource::kReal;
  bool accept_chance_ = true, early_waits_ = false;
  std::uint64_t executions_ = 0;
};

}  // namespace heddle
