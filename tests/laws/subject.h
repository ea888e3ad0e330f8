// A program on which laws are checked: one fork server, executions by request, with every event that they made.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "src/engine/execute.h"
#include "src/engine/options.h"

namespace heddle::laws {

struct Execution {
  RunOutcome outcome;
  std::vector<HeddleEvent> events;  // all of them, at the requested detail
};

struct SubjectOptions {
  std::vector<std::string> command;  // program and arguments
  std::string standard_input;        // a file; "" for /dev/null
  int cpu = -1;                      // where the program stays
  Options run;                       // as HEDDLE_OPTIONS would say
  std::string preload;               // the runtime as a library; "" when the program carries it
};

class Subject {
 public:
  /// Errors: the program cannot be controlled.
  static Result<std::unique_ptr<Subject>> create(const SubjectOptions& options);

  /// A run of `strategy` with that seed, without any detail.
  RunRequest random(std::uint64_t seed, HeddleStrategy strategy = HEDDLE_STRATEGY_RANDOM) const;
  /// Strict re-execution of `recorded`, which `request` gave.
  RunRequest replay_of(const RunRequest& request, const Execution& recorded) const;
  /// Ends the process with status 2 when the program cannot be controlled any more: there is no law to check then.
  Execution run(const RunRequest& request);

  Executor& executor() { return *executor_; }
  std::string name() const;

 private:
  SubjectOptions options_;
  Descriptor standard_input_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace heddle::laws
