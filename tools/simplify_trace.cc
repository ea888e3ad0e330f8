#include "tools/lift_trace.h"
#include "tools/simplify_trace.h"

#include <chrono>
#include <cstdio>
#include <ranges>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "abi/changes.h"
#include "src/engine/builds.h"
#include "src/engine/replay.h"
#include "src/simplify/chance.h"
#include "src/simplify/write.h"
#include "src/trace/meta_keys.h"
#include "tools/json.h"
#include "tools/open_trace.h"
#include "tools/program_of_trace.h"
#include "tools/terminal.h"
#include "tools/trust.h"
#include "tools/way_in.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;
using Trouble = std::unexpected<SimplifyTrouble>;

constexpr const char* kTooEarly = "interrupted before the failure was reproduced";

Trouble bad_input(const Error& error) { return Trouble(SimplifyTrouble{error, true}); }
Trouble could_not(const Error& error) { return Trouble(SimplifyTrouble{error, false}); }

std::string what_helps_when_damaged(const TraceReader& trace, const Options& engine) {
  if (Replayer::create(trace, engine, Origin::kForeign)) return "heddle replay --trust replays the intact part";
  const std::vector<std::string>& argv = trace.head().meta.argv;
  return fmt::format("nothing of its schedule is left; heddle hunt -- {} searches for the failure again",
                     argv.empty() ? "PROG" : shell_line(argv));
}

/// Why this trace cannot be simplified, whatever the program does.
std::optional<SimplifyTrouble> unfit(const TraceReader& trace, const std::string& name, const Options& engine) {
  const TraceHead& head = trace.head();
  if (!trace.damage().empty())
    return SimplifyTrouble{
        {fmt::format("{} is damaged: {}", name, trace.damage()), what_helps_when_damaged(trace, engine)}, true};
  if (!head.failure)
    return SimplifyTrouble{
        {fmt::format("{} has no failure: there is nothing to simplify", name), "heddle hunt -- PROG searches for one"},
        true};
  if (head.meta.source == TraceSource::kRecorded) {
    const Error why = why_not_lifted(trace);
    return SimplifyTrouble{{fmt::format("{} is a recording that cannot be lifted: {}", name, why.message), why.advice},
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

class Session {
 public:
  explicit Session(const SimplifyTask& task) : task_(task) {}
  std::expected<SimplifyAnswer, SimplifyTrouble> run();

 private:
  Status start(const TraceReader& trace);
  /// The first trial: the original schedule, led. Chooses where inputs come from.
  Result<Trial> follow(Trials& trials, const Execution& original);
  Result<Trial> follow_with(InputSource inputs, Trials& trials, const Execution& original);
  Result<Trial> follow_in_copies(Trials& trials, const Execution& original);
  Result<Trial> follow_really(Trials& trials, const Execution& original);
  /// The original execution itself, when all that was found is costlier.
  Result<Trial> unchanged(Trials& trials, const Execution& original);

  const SimplifyTask& task_;
  std::optional<Replayer> replayer_;
  std::optional<StandardInput> input_;
  std::optional<Patience> patience_;
  std::unique_ptr<Executor> executor_;
  SimplifyAnswer answer_;
};

Status Session::start(const TraceReader& trace) {
  const Meta& meta = trace.head().meta;
  if (Status may = may_be_executed(trace, {"simplify", task_.trace, task_.trust, task_.program}); !may) return may;
  auto program = program_of_trace(task_.program.empty() ? "" : task_.program.front(), meta, "simplify", task_.trace);
  if (!program) return std::unexpected(program.error());
  auto replayer = Replayer::create(trace, task_.engine, origin_of(trace, task_.trace, task_.trust));
  if (!replayer) return std::unexpected(replayer.error());
  replayer_.emplace(std::move(*replayer));
  WorkerOptions worker;
  worker.launch = replayer_->launch(program->path, current_environment());
  if (Status way = choose_way_in(*program, worker.launch); !way) return way;
  worker.output = OutputMode::kCapture;
  worker.ready_timeout = task_.engine.ready_timeout;
  worker.stop = task_.stop;
  worker.seal = key_for_new_traces();
  auto input = standard_input_of(meta.standard_input);
  if (!input) return std::unexpected(input.error());
  input_.emplace(std::move(*input));
  if (meta.has_standard_input) worker.standard_input = input_->file.get();
  auto executor = Executor::create(worker, std::make_shared<SiteCache>());
  if (!executor) return std::unexpected(executor.error());
  executor_ = std::move(*executor);
  return replayer_->check_program(*executor_);
}

Result<Trial> Session::follow_with(InputSource inputs, Trials& trials, const Execution& original) {
  trials.use(inputs);
  answer_.inputs = inputs;
  return trials.execute(original, original.turns);
}

// Each execution finds the files as the folder has them now. In place, if the folder cannot be copied.
Result<Trial> Session::follow_in_copies(Trials& trials, const Execution& original) {
  executor_->worker().use_cwd_copies(true);
  if (Status ready = executor_->worker().prepare(); !ready) {
    executor_->worker().use_cwd_copies(false);
    answer_.notes.push_back("the program changes files, and its folder cannot be copied for each execution: " +
                            ready.error().message);
  }
  return follow_with(InputSource::kReal, trials, original);
}

Result<Trial> Session::follow(Trials& trials, const Execution& original) {
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

Result<Trial> Session::follow_really(Trials& trials, const Execution& original) {
  const bool known = has_flag(answer_.before.meta, meta_key::kCwdCopy);
  Result<Trial> real = known ? follow_in_copies(trials, original) : follow_with(InputSource::kReal, trials, original);
  if (real && real->wrote_files && !known) real = follow_in_copies(trials, original);
  if (!real || real->interrupted) return real;
  const bool failed = real->same_failure, copies = executor_->worker().options().cwd_copy;
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

Result<Trial> Session::unchanged(Trials& trials, const Execution& original) {
  Result<Trial> led = follow_with(InputSource::kRecorded, trials, original);
  if (!led || (led->same_failure && led->execution.cost <= original.cost)) return led;
  Result<ReplayReport> strict = replayer_->replay(*executor_);
  if (!strict) return std::unexpected(strict.error());
  if (!strict->reproduced) return error("no cheaper failing schedule found, and the trace itself was not reproduced");
  Trial trial;
  trial.same_failure = true;
  trial.execution = original;
  trial.outcome = std::move(strict->outcome);
  if (!trial.outcome.evidence) trial.outcome.evidence = executor_->copy_evidence();
  trial.outcome.evidence->choices = replayer_->request().schedule;
  trial.outcome.evidence->inputs = replayer_->request().inputs;
  trial.outcome.failure = answer_.before.failure;
  return trial;
}

std::expected<SimplifyAnswer, SimplifyTrouble> Session::run() {
  const Clock::time_point begin = Clock::now();
  auto trace = open_trace(task_.trace);
  if (!trace) return bad_input(trace.error());
  if (auto trouble = unfit(*trace, task_.trace, task_.engine)) return std::unexpected(*trouble);
  Result<Execution> original = execution_of(*trace);
  if (!original) return could_not(original.error());
  const Status started = start(*trace);
  const auto stopped = [&] { return task_.stop && task_.stop->load(); };
  if (!started && stopped()) return could_not({kTooEarly, ""});
  if (!started) return bad_input(started.error());
  answer_.before = trace->head();
  Trials trials(*executor_, replayer_->request(), replayer_->conditions(), *answer_.before.failure);
  Result<Trial> first = follow(trials, *original);
  if (first ? first->interrupted : stopped()) return could_not({kTooEarly, ""});
  if (!first) return could_not(first.error());
  if (!first->same_failure)
    return could_not({fmt::format("the failure of the trace ({1}) was not reproduced: the program {0}",
                                  first->outcome.failure ? "ended with " + first->outcome.failure->message
                                                         : std::string("did not fail"),
                                  answer_.before.failure->message),
                      fmt::format("heddle replay {} says more", shell_word(task_.trace))});
  SimplifyOptions options = task_.options;
  options.stop = task_.stop;
  Result<Simplified> simplified = simplify(trials, *original, std::move(*first), options, task_.on_progress);
  if (!simplified) return could_not(simplified.error());
  answer_.interrupted = simplified->interrupted;
  patience_.emplace(task_.stop, task_.give_up);
  executor_->worker().watch(&patience_->over());
  if (simplified->best.execution.cost > original->cost) {
    Result<Trial> same = unchanged(trials, *original);
    if (!same) return could_not(same.error());
    simplified->best = std::move(*same);
    answer_.notes.emplace_back("nothing was removed: no cheaper failing schedule found");
  }
  Result<TraceHead> after =
      write_simplified(trials, simplified->best, replayer_->conditions(), answer_.before, task_.output, *executor_);
  if (!after) return could_not(after.error());
  answer_.after = std::move(*after);
  answer_.executions = trials.executions() + 1;  // and the one that was written
  answer_.rounds = simplified->rounds;
  answer_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  auto written = TraceReader::open(task_.output);
  if (written) {
    auto found = preemptions_of(*written, simplified->best.execution.turns,
                                time_of_build(answer_.after.meta, executor_->worker().server_executable()));
    if (found) answer_.preemptions = std::move(*found);
    if (answer_.after.totals.preemptions == 0) answer_.order = order_of(simplified->best.execution, answer_.after);
    if (auto early = early_timeouts(*written)) answer_.timeouts = std::move(*early);
  }
  return std::move(answer_);
}

nlohmann::ordered_json place_json(const PlaceOfThread& place) {
  return {{"thread", place.thread}, {"function", place.function}, {"file", place.file},
          {"line", place.line},     {"text", place.text},         {"between", place.between}};
}

nlohmann::ordered_json size_json(const TraceHead& head) {
  return {{"events", head.totals.events},
          {"steps", head.totals.steps},
          {"threads", head.threads.size()},
          {"switches", head.totals.switches},
          {"preemptions", head.totals.preemptions}};
}

}  // namespace

namespace {
// A recording's threads stop between points, where they cannot be led; those of its lifted form do not.
std::expected<SimplifyAnswer, SimplifyTrouble> simplify_lifted(const SimplifyTask& task, const TraceReader& recording) {
  LiftTask lift;
  lift.trace = task.trace;
  lift.program = task.program;
  lift.trust = task.trust;
  lift.engine = task.engine;
  lift.stop = task.stop;
  auto form = lifted_form(lift, recording);
  if (task.stop && task.stop->load()) return could_not({kTooEarly, ""});
  if (!form) return Trouble(SimplifyTrouble{form.error().error, form.error().is_input});
  SimplifyTask ordinary = task;
  ordinary.trace = form->trace.string();
  if (ordinary.inputs == InputChoice::kAuto)
    ordinary.inputs = InputChoice::kRecorded;  // what a recording read has no place in another order of the world
  return Session(ordinary).run();
}
}  // namespace

std::expected<SimplifyAnswer, SimplifyTrouble> simplify_trace(const SimplifyTask& task) {
  if (auto trace = open_trace(task.trace); trace && trace->head().failure && why_not_lifted(*trace).message.empty())
    return simplify_lifted(task, *trace);
  return Session(task).run();
}

void show_simplify_progress(const SimplifyProgress& progress) {
  say(stderr, "\r\033[K  switches {}  preemptions {}  {} executions", progress.cost.switches,
             progress.cost.preemptions, progress.executions);
  std::fflush(stderr);
}

std::string first_line(const SimplifyAnswer& answer) {
  const Totals &before = answer.before.totals, &after = answer.after.totals;
  return fmt::format("switches {} -> {}   preemptions {} -> {}      {} executions, {:.2f} s", before.switches,
                     after.switches, before.preemptions, after.preemptions, answer.executions, answer.seconds);
}

std::string interrupted_text(const SimplifyAnswer& answer) {
  return answer.interrupted ? "   interrupted: the best so far" : "";
}

std::vector<std::string> preemption_lines(const SimplifyAnswer& answer, const std::string& trace) {
  constexpr std::size_t kMost = 5;  // whoever has to read more looks at the trace
  constexpr std::size_t kMostTurns = 24;
  std::vector<std::string> lines;
  if (!answer.order.empty()) lines.push_back(in_words(answer.order, kMostTurns));
  for (const Preemption& preemption : answer.preemptions | std::views::take(kMost))
    lines.push_back(in_words(preemption));
  for (const EarlyTimeout& timeout : answer.timeouts) lines.push_back(in_words(timeout));
  if (answer.preemptions.size() > kMost)
    lines.push_back(fmt::format("... and {} more: heddle show {}", answer.preemptions.size() - kMost, trace));
  return lines;
}

nlohmann::ordered_json simplify_json(const SimplifyAnswer& answer, const std::string& output) {
  nlohmann::ordered_json out, places = nlohmann::ordered_json::array();
  for (const Preemption& preemption : answer.preemptions)
    places.push_back({{"step", preemption.step},
                      {"stopped", place_json(preemption.stopped)},
                      {"ran", place_json(preemption.ran)},
                      {"text", in_words(preemption)}});
  out["before"] = size_json(answer.before);
  out["after"] = size_json(answer.after);
  out["executions"] = answer.executions;
  out["seconds"] = answer.seconds;
  out["trace"] = output;
  out["rounds"] = answer.rounds;
  out["preemptions"] = std::move(places);
  nlohmann::ordered_json order = nlohmann::ordered_json::array();
  for (const TurnOfThread& turn : answer.order) order.push_back({{"thread", turn.thread}, {"label", turn.label}});
  out["order"] = std::move(order);
  nlohmann::ordered_json timeouts = nlohmann::ordered_json::array();
  for (const EarlyTimeout& timeout : answer.timeouts)
    timeouts.push_back({{"step", timeout.step},
                        {"thread", timeout.thread},
                        {"skipped_ns", timeout.skipped_ns},
                        {"text", in_words(timeout)}});
  out["early_timeouts"] = std::move(timeouts);
  out["failure"] = failure_json(answer.after.failure);
  out["inputs"] = answer.inputs == InputSource::kReal ? "real" : "recorded";
  out["interrupted"] = answer.interrupted;
  out["notes"] = answer.notes;
  return out;
}

}  // namespace heddle
