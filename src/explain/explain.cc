#include "src/explain/explain.h"

#include <chrono>

#include <fmt/format.h>

#include "src/engine/builds.h"
#include "src/engine/confirm.h"
#include "src/explain/search.h"
#include "src/simplify/simplify_trace.h"
#include "src/trace/meta_keys.h"
#include "src/trace/temporary_folder.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kSlowerWithDetail = 10;

Differs does_not_fail(const RunOutcome& first) {
  return [&first](const RunOutcome& again) -> std::optional<std::string> {
    if (again.end == RunEnd::kInterrupted) return "it was interrupted";
    if (again.result.divergence.happened)
      return fmt::format("it left its schedule at step {}", again.result.divergence.step);
    if (again.failure) return "it failed: " + again.failure->message;
    if (again.cut_off()) return "it was cut off";
    if (again.result.steps != first.result.steps || again.result.hash != first.result.hash)
      return "it executed other steps";
    return std::nullopt;
  };
}

class Explanation {
 public:
  explicit Explanation(const ExplainTask& task) : task_(task) { task_.session.writes_traces = true; }
  Answered<ExplainAnswer> run();

 private:
  Answered<Session> simplified();
  Result<TraceHead> write_alternate(const Trials& trials, const Trial& trial);

  ExplainTask task_;
  TemporaryFolder folder_;
  InputSource inputs_ = InputSource::kReal;
  std::optional<Session> session_;
  ExplainAnswer answer_;
};

/// The trace that is explained: as few switches as the failure needs, in a folder of ours.
Answered<Session> Explanation::simplified() {
  Result<TemporaryFolder> folder = TemporaryFolder::create("explain");
  if (!folder) return could_not(folder.error());
  folder_ = std::move(*folder);
  SimplifyTask simplify;
  simplify.session = task_.session;
  simplify.output = folder_.path() / "failing.heddle";
  auto small = simplify_trace(simplify);
  if (!small) return std::unexpected(small.error());
  answer_.original = std::move(small->before);
  answer_.failing = std::move(small->after);
  answer_.executions += small->executions;
  answer_.notes = std::move(small->notes);
  inputs_ = small->inputs;
  SessionTask session = task_.session;
  session.trace = simplify.output.string();
  session.trust = true;  // made a moment ago, out of a trace that may be executed
  auto opened = Session::open(session);
  if (!opened) return could_not(opened.error());
  return std::move(*opened);
}

Result<TraceHead> Explanation::write_alternate(const Trials& trials, const Trial& trial) {
  Meta meta = answer_.failing.meta;
  Executor& executor = session_->executor();
  Result<TraceBuilder> trace = begin_trace(task_.alternate, meta, executor);
  if (!trace) return std::unexpected(trace.error());
  RunRequest request = trials.again(trial);
  request.limits.total *= kSlowerWithDetail;
  request.parameters.detail = meta.detail;
  Result<Confirmation> again =
      confirm(executor, request, {session_->replayer().conditions(), does_not_fail(trial.outcome)}, &*trace);
  if (!again) return std::unexpected(again.error());
  if (again->difference)
    return error(fmt::format("the alternate execution was not reproduced: {}", *again->difference),
                 "the program depends on something that is not controlled: docs/control.md");
  return finish_trace(*trace, std::move(meta), std::move(again->outcome), first_run(trial.outcome, std::nullopt), {},
                      executor);
}

Answered<ExplainAnswer> Explanation::run() {
  const Clock::time_point begin = Clock::now();
  auto session = simplified();
  if (!session) return std::unexpected(session.error());
  session_.emplace(std::move(*session));
  if (Status ready = session_->start(); !ready) return could_not(ready.error());
  if (has_flag(answer_.failing.meta, meta_key::kCwdCopy)) session_->executor().worker().use_cwd_copies(true);

  Result<Execution> execution = execution_of(session_->trace());
  if (!execution) return could_not(execution.error());
  Result<Observed> failing = Observed::read(session_->trace());
  if (!failing) return could_not(failing.error());
  const Replayer& replayer = session_->replayer();
  Trials trials(session_->executor(), replayer.request(), replayer.conditions(), *answer_.failing.failure);
  trials.use(inputs_);
  // Whatever differs from this one is compared with it.
  Result<Trial> base = trials.execute(*execution, execution->turns);
  if (!base) return could_not(base.error());
  if (!base->same_failure)
    return could_not({"led along its own schedule, the program does not fail: no other order can be compared with it",
                      "the failure may depend on inputs or on time: heddle replay executes the trace exactly"});
  answer_.executions++;
  trials.let_waits_end_early(true);  // a thread that sleeps can be slower than the others, or faster
  Result<Found> found = search_alternate(trials, *execution, *failing, task_.limits, task_.on_progress);
  if (!found) return could_not(found.error());
  if (found->interrupted) return could_not({"interrupted before an alternate execution was confirmed", ""});
  answer_.failing_events = failing->size();

  std::optional<Observed> alternate;
  if (found->nearest) {
    Result<TraceHead> written = write_alternate(trials, found->nearest->trial);
    if (!written) return could_not(written.error());
    answer_.alternate = std::move(*written);
    Result<TraceReader> reader = TraceReader::open(task_.alternate);
    if (!reader) return could_not(reader.error());
    Result<Observed> read = Observed::read(*reader);
    if (!read) return could_not(read.error());
    alternate.emplace(std::move(*read));
    answer_.comparison = compare(*failing, *alternate);
    answer_.verdict = verdict_of(*failing, *alternate, answer_.comparison, found->nearest->pair);
    answer_.executions++;
  } else {
    answer_.verdict = verdict_of(*failing);
  }
  answer_.failing_flows = flows_between_threads(*failing);
  answer_.projection =
      project(*failing, alternate ? &*alternate : nullptr, alternate ? &answer_.comparison : nullptr, answer_.verdict,
              time_of_build(answer_.failing.meta, session_->executor().worker().server_executable()));
  answer_.executions += found->executions;
  if (found->nearest) found->nearest->trial = {};
  answer_.found = std::move(*found);
  answer_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return std::move(answer_);
}

}  // namespace

Answered<ExplainAnswer> explain_trace(const ExplainTask& task) { return Explanation(task).run(); }

}  // namespace heddle
