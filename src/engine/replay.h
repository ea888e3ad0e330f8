// Executes the schedule of a trace again and says whether the same thing happened.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "src/engine/conditions.h"
#include "src/engine/execute.h"
#include "src/engine/options.h"
#include "src/trace/container.h"

namespace heddle {

/// One step in words and by parts, for people and for --json.
struct StepText {
  std::string thread, kind, object, function, file;
  std::uint32_t line = 0;
  std::string text;  // "0.1 lock m  queue.c:8 in take"
};

struct DivergenceText {
  std::uint64_t step = 0;
  std::string reason;  // one clause
  StepText expected, actual;
};

struct ReplayReport {
  bool reproduced = false;  // ended as the trace says (a trace without failure: without one)
  std::optional<DivergenceText> divergence;
  std::optional<FailureRecord> failure;  // of this execution
  /// The trace is damaged and this execution followed all that is left of its schedule; it was ended there.
  bool followed_what_is_left = false;
  bool ended_from_outside = false;  // as the recorded run was, at the same step
  bool replaced = false;  // it ended where the program replaced itself by exec; how the new program ended is not known
  RunOutcome outcome;
};

/// Of a trace. Out of one that nobody vouches for no code is executed and no setting of loader, libc or sanitizer
/// taken.
enum class Origin { kTrusted, kForeign };

/// Everything a replay needs of a trace, read once; replays of --times share it.
class Replayer {
 public:
  /// A damaged trace is replayed as far as its schedule goes, or its events, which also tell it. Errors: neither is
  /// there.
  static Result<Replayer> create(const TraceReader& trace, const Options& options, Origin origin);

  /// What to start: recorded argv, environment and cwd, with LD_* and PATH from `current_environment` instead of the
  /// trace's; of a foreign trace also what settles which modules libc loads (GCONV_PATH ...) and a sanitizer's options.
  Launch launch(const std::filesystem::path& program, const std::vector<std::string>& current_environment) const;
  /// Errors: the program or one of its libraries is another build. Once, before the first replay.
  Status check_program(Executor& executor) const;
  Result<ReplayReport> replay(Executor& executor) const;
  /// Steps of the schedule that is followed; with `schedule_is_cut()` there were more.
  std::uint64_t steps() const { return steps_; }
  bool schedule_is_cut() const { return cut_; }
  /// The recorded run was ended by us when its client had ended, which is no failure, and `outcome`, an execution of
  /// its schedule, got as far.
  bool ended_from_outside(const RunOutcome& outcome) const;
  const FailureConditions& conditions() const { return conditions_; }
  /// What is executed: for who starts the program in a way of their own (a debugger).
  const RunRequest& request() const { return request_; }

 private:
  explicit Replayer(const TraceReader& trace) : trace_(&trace) {}
  Status take_schedule();
  void compare(const RunOutcome& outcome, Executor& executor, ReplayReport& report) const;
  DivergenceText describe(const RunOutcome& outcome, Executor& executor) const;
  std::optional<HeddleEvent> point(std::uint64_t step) const;
  StepText expected_step(std::uint64_t step) const;
  void tell_apart(const HeddleDivergence& raw, const SiteRecord& site, DivergenceText& out) const;
  std::optional<DivergenceText> ended_differently(const RunOutcome& outcome) const;

  const TraceReader* trace_;
  RunRequest request_;
  FailureConditions conditions_;
  std::uint64_t steps_ = 0;
  bool cut_ = false;
};

/// The request that follows `choices` strictly with the inputs of the recorded run. Shared with hunt's re-execution.
RunRequest following(HeddleRun parameters, std::vector<HeddleSegment> choices, std::string inputs,
                     std::vector<std::uint32_t> points);

}  // namespace heddle
