#include "src/simplify/simplify_trace.h"

#include <chrono>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "abi/changes.h"
#include "src/engine/builds.h"
#include "src/engine/open_trace.h"
#include "src/lift/lift_trace.h"
#include "src/show/shell_words.h"
#include "src/simplify/chance.h"
#include "src/simplify/write.h"
#include "src/trace/meta_keys.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kTooEarly = "interrupted before the failure was reproduced";

std::string what_helps_when_damaged(const TraceReader& trace, const Options& engine) {
  if (Replayer::create(trace, engine, Origin::kForeign)) return "heddle replay --trust replays the intact part";
  const std::vector<std::string>& argv = trace.head().meta.argv;
  return fmt::format("nothing of its schedule is left; heddle hunt -- {} searches for the failure again",
                     argv.empty() ? "PROG" : shell_line(argv));
}

/// Why this trace cannot be simplified, whatever the program does.
std::optional<Trouble> unfit(const TraceReader& trace, const std::string& name, const Options& engine) {
  const TraceHead& head = trace.head();
  if (!trace.damage().empty())
    return Trouble{
        {fmt::format("{} is damaged: {}", name, trace.damage()), what_helps_when_damaged(trace, engine)}, true};
  if (!head.failure)
    return Trouble{
        {fmt::format("{} has no failure: there is nothing to simplify", name), "heddle hunt -- PROG searches for one"},
        true};
  if (head.meta.source == TraceSource::kRecorded) {
    const Error why = why_not_lifted(trace);
    return Trouble{{fmt::format("{} is a recording that cannot be lifted: {}", name, why.message), why.advice},
                           false};
  }
  return std::nullopt;
}

/// Of the last execution, which is written: who is impatient waits for it a little, since all that was found would be
/// lost with it.
class Patience {
 public:
  Patience(const std::atomic<bool>* stop, const std::atomic<bool>* give_up)
      : watcher_([=, this](const std::stop_token& done) { watch(done, stop, give_up); }) {}
  const std::atomic<bool>& over() const { return over_; }

 private:
  void watch(const std::stop_token& done, const std::atomic<bool>* stop, const std::atomic<bool>* give_up) {
    constexpr std::chrono::milliseconds kLongest{5000}, kNap{20};
    std::optional<Clock::time_point> since;
    for (; !done.stop_requested(); std::this_thread::sleep_for(kNap)) {
      if (!since && stop && stop->load()) since = Clock::now();
      if (since && give_up && give_up->load() && Clock::now() - *since >= kLongest) over_ = true;
    }
  }

  std::atomic<bool> over_{false};
  std::jthread watcher_;  // last: it uses the others
};

class Simplification {
 public:
  explicit Simplification(const SimplifyTask& task) : task_(task) {
    task_.session.verb = "simplify";
    task_.session.writes_traces = true;
  }
  Answered<SimplifyAnswer> run();

 private:
  /// The first trial: the original schedule, led. Chooses where inputs come from.
  Result<Trial> follow(Trials& trials, const Execution& original);
  Result<Trial> follow_with(InputSource inputs, Trials& trials, const Execution& original);
  Result<Trial> follow_in_copies(Trials& trials, const Execution& original);
  Result<Trial> follow_really(Trials& trials, const Execution& original);
  /// The original execution itself, when all that was found is costlier.
  Result<Trial> unchanged(Trials& trials, const Execution& original);

  SimplifyTask task_;
  std::optional<Patience> patience_;  // outlives the session, whose executor looks at it
  std::optional<Session> session_;
  SimplifyAnswer answer_;
};

Result<Trial> Simplification::follow_with(InputSource inputs, Trials& trials, const Execution& original) {
  trials.use(inputs);
  answer_.inputs = inputs;
  return trials.execute(original, original.turns);
}

// Each execution finds the files as the folder has them now. In place, if the folder cannot be copied.
Result<Trial> Simplification::follow_in_copies(Trials& trials, const Execution& original) {
  session_->executor().worker().use_cwd_copies(true);
  if (Status ready = session_->executor().worker().prepare(); !ready) {
    session_->executor().worker().use_cwd_copies(false);
    answer_.notes.push_back("the program changes files, and its folder cannot be copied for each execution: " +
                            ready.error().message);
  }
  return follow_with(InputSource::kReal, trials, original);
}

Result<Trial> Simplification::follow(Trials& trials, const Execution& original) {
  if (task_.inputs == InputChoice::kRecorded) return follow_with(InputSource::kRecorded, trials, original);
  const auto chance = chance_in(answer_.before.inputs);
  // What is up to chance would make the answer so, too.
  trials.accept_chance(task_.inputs == InputChoice::kReal || chance);
  if (task_.inputs == InputChoice::kReal || !chance) return follow_really(trials, original);
  Result<Trial> recorded = follow_with(InputSource::kRecorded, trials, original);
  const bool led = !recorded || recorded->same_failure || recorded->interrupted;
  answer_.notes.push_back(
      fmt::format(fmt::runtime(led ? "the program got the inputs of the trace: {} may differ between executions"
                                   : "the answer may vary: the program depends on {}"),
                  *chance));
  return led ? std::move(recorded) : follow_really(trials, original);
}

Result<Trial> Simplification::follow_really(Trials& trials, const Execution& original) {
  const bool known = has_flag(answer_.before.meta, meta_key::kCwdCopy);
  Result<Trial> real = known ? follow_in_copies(trials, original) : follow_with(InputSource::kReal, trials, original);
  if (real && real->wrote_files && !known) real = follow_in_copies(trials, original);
  if (!real || real->interrupted) return real;
  const bool failed = real->same_failure, copies = session_->executor().worker().options().cwd_copy;
  const bool equal_start = !real->wrote_files || (copies && !(real->wrote_files & HEDDLE_CHANGED_OUTSIDE));
  if (failed && copies && real->wrote_files && equal_start)
    answer_.notes.emplace_back("the program changes files: each execution used a fresh copy of its folder");
  if (task_.inputs == InputChoice::kReal || (failed && equal_start)) return real;
  // Fed answers are right only where the program has done the same things outside before: the runtime sees to that.
  Result<Trial> recorded = follow_with(InputSource::kRecorded, trials, original);
  if (!recorded || recorded->same_failure || recorded->interrupted) {
    answer_.notes.emplace_back(
        failed ? "the program changes files outside its folder: it got the inputs of the trace, and changed none"
               : "the program got the inputs of the trace");
    return recorded;
  }
  if (!failed) return recorded;
  answer_.notes.emplace_back(
      "the program changes files outside its folder: each execution found them as the previous one had left them");
  return follow_with(InputSource::kReal, trials, original);
}

Result<Trial> Simplification::unchanged(Trials& trials, const Execution& original) {
  Result<Trial> led = follow_with(InputSource::kRecorded, trials, original);
  if (!led || (led->same_failure && led->execution.cost <= original.cost)) return led;
  Result<ReplayReport> strict = session_->replayer().replay(session_->executor());
  if (!strict) return std::unexpected(strict.error());
  if (!strict->reproduced) return error("no cheaper failing schedule found, and the trace itself was not reproduced");
  Trial trial;
  trial.same_failure = true;
  trial.execution = original;
  trial.outcome = std::move(strict->outcome);
  if (!trial.outcome.evidence) trial.outcome.evidence = session_->executor().copy_evidence();
  trial.outcome.evidence->choices = session_->replayer().request().schedule;
  trial.outcome.evidence->inputs = session_->replayer().request().inputs;
  trial.outcome.failure = answer_.before.failure;
  return trial;
}

Answered<SimplifyAnswer> Simplification::run() {
  const Clock::time_point begin = Clock::now();
  const SessionTask& asked = task_.session;
  auto trace = open_trace(asked.trace);
  if (!trace) return bad_input(trace.error());
  if (auto trouble = unfit(*trace, asked.trace, asked.engine)) return std::unexpected(*trouble);
  Result<Execution> original = execution_of(*trace);
  if (!original) return could_not(original.error());
  const auto stopped = [&] { return asked.stop && asked.stop->load(); };
  auto session = Session::open(std::move(*trace), asked);
  const Status started = session ? session->start() : std::unexpected(session.error());
  if (!started && stopped()) return could_not({kTooEarly, ""});
  if (!started) return bad_input(started.error());
  session_.emplace(std::move(*session));
  answer_.before = session_->trace().head();
  const Replayer& replayer = session_->replayer();
  Trials trials(session_->executor(), replayer.request(), replayer.conditions(), *answer_.before.failure);
  Result<Trial> first = follow(trials, *original);
  if (first ? first->interrupted : stopped()) return could_not({kTooEarly, ""});
  if (!first) return could_not(first.error());
  if (!first->same_failure)
    return could_not({fmt::format("the failure of the trace ({1}) was not reproduced: the program {0}",
                                  first->outcome.failure ? "ended with " + first->outcome.failure->message
                                                         : std::string("did not fail"),
                                  answer_.before.failure->message),
                      fmt::format("heddle replay {} says more", shell_word(asked.trace))});
  SimplifyOptions options = task_.options;
  options.stop = asked.stop;
  Result<Simplified> simplified = simplify(trials, *original, std::move(*first), options, task_.on_progress);
  if (!simplified) return could_not(simplified.error());
  answer_.interrupted = simplified->interrupted;
  patience_.emplace(asked.stop, task_.give_up);
  session_->executor().worker().watch(&patience_->over());
  if (simplified->best.execution.cost > original->cost) {
    Result<Trial> same = unchanged(trials, *original);
    if (!same) return could_not(same.error());
    simplified->best = std::move(*same);
    answer_.notes.emplace_back("nothing was removed: no cheaper failing schedule found");
  }
  Result<TraceHead> after = write_simplified(trials, simplified->best, replayer.conditions(),
                                             answer_.before, task_.output, session_->executor());
  if (!after) return could_not(after.error());
  answer_.after = std::move(*after);
  answer_.executions = trials.executions() + 1;  // and the one that was written
  answer_.rounds = simplified->rounds;
  answer_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  auto written = TraceReader::open(task_.output);
  if (written) {
    auto found = preemptions_of(*written, simplified->best.execution.turns,
                                time_of_build(answer_.after.meta, session_->executor().worker().server_executable()));
    if (found) answer_.preemptions = std::move(*found);
    if (answer_.after.totals.preemptions == 0) answer_.order = order_of(simplified->best.execution, answer_.after);
    if (auto early = early_timeouts(*written)) answer_.timeouts = std::move(*early);
  }
  return std::move(answer_);
}

// A recording's threads stop between points, where they cannot be led; those of its lifted form do not.
Answered<SimplifyAnswer> simplify_lifted(const SimplifyTask& task, const TraceReader& recording) {
  LiftTask lift;
  lift.session = task.session;
  auto form = lifted_form(std::move(lift), recording);
  if (task.session.stop && task.session.stop->load()) return could_not({kTooEarly, ""});
  if (!form) return std::unexpected(form.error());
  SimplifyTask ordinary = task;
  ordinary.session.trace = form->trace.string();
  if (ordinary.inputs == InputChoice::kAuto)
    ordinary.inputs = InputChoice::kRecorded;  // what a recording read has no place in another order of the world
  return Simplification(ordinary).run();
}
}  // namespace

Answered<SimplifyAnswer> simplify_trace(const SimplifyTask& task) {
  if (auto trace = open_trace(task.session.trace);
      trace && trace->head().failure && why_not_lifted(*trace).message.empty())
    return simplify_lifted(task, *trace);
  return Simplification(task).run();
}

}  // namespace heddle
