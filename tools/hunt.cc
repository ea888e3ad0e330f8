// heddle hunt: the search, its progress, and the traces of what it found.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "src/engine/describe_run.h"
#include "src/engine/environment.h"
#include "src/engine/process_tree.h"
#include "src/engine/time_limit.h"
#include "src/engine/way_in.h"
#include "src/hunt/hunt.h"
#include "src/hunt/races.h"
#include "src/hunt/witness.h"
#include "src/show/words.h"
#include "src/trace/meta_keys.h"
#include "src/trace/new_trace.h"
#include "tools/hunt_answer.h"
#include "tools/hunt_arguments.h"
#include "tools/hunt_bisect.h"
#include "tools/hunt_gtest.h"
#include "tools/hunt_one.h"
#include "tools/hunt_simplify.h"
#include "tools/json.h"
#include "tools/status.h"
#include "tools/terminal.h"
#include "tools/verbs.h"
#include "tools/version.h"

namespace heddle {
namespace {

using std::chrono::milliseconds;

Meta meta_of(const HuntArguments& arguments, const Answer& answer) {
  Meta meta = describe_run(arguments.program, arguments.request.worker.launch, kVersion);
  meta.environment = answer.environment;
  if (!answer.whole_environment.empty()) meta.more[meta_key::kWholeEnvironment] = answer.whole_environment;
  meta.has_standard_input = arguments.input.has_value();
  if (arguments.input) meta.standard_input = arguments.input->bytes;
  if (const std::string& test = arguments.request.conditions.gtest(); !test.empty()) meta.more[meta_key::kGtest] = test;
  return meta;
}

void show_progress(const HuntArguments& arguments, const HuntProgress& progress) {
  const CoverageSummary& seen = progress.coverage;
  std::string more =
      seen.runs == 0 ? ""
                     : fmt::format("  reads-from pairs {} ({} in {} runs)  classes {}", seen.reads_from,
                                   seen.quiet ? "none new" : "new", seen.quiet ? seen.quiet : seen.runs, seen.classes);
  if (progress.failures) more += "  " + counted("distinct failure", progress.failures);
  say(stderr, "\r\033[K  {} of {}  {:.0f}/s  {}  {}  {}{}", progress.runs,
             counted("run", arguments.request.runs),
             progress.seconds > 0 ? static_cast<double>(progress.runs) / progress.seconds : 0.0,
             counted("thread", progress.threads), counted("data race", progress.races),
             counted("racy point", progress.racy_points), more);
  std::fflush(stderr);
}

// The hunt's time, and what may be spent beyond it to say what was found.
class Budget {
 public:
  explicit Budget(milliseconds time) : time_(time) {}
  using End = std::optional<TimeLimit::Clock::time_point>;
  /// Of what can be left out: simplification, more races.
  End time() const { return after(milliseconds(0)); }
  /// Of everything.
  End all() const { return after(overtime()); }
  /// Of the races: something else has to be executed behind them.
  End races() const {
    const auto now = TimeLimit::Clock::now();
    return limited() ? End(now + std::max(*all() - now, {}) / 2) : End();
  }

 private:
  bool limited() const { return time_.count() > 0; }
  milliseconds overtime() const { return std::max(time_ / 40, milliseconds(100)); }
  End after(milliseconds more) const { return limited() ? End(start_ + time_ + more) : End(); }

  TimeLimit::Clock::time_point start_ = TimeLimit::Clock::now();
  milliseconds time_;
};

// Those of one run.
std::vector<RaceRecord> races_of_run(const std::vector<RaceRecord>& races, const std::vector<std::uint64_t>& runs,
                                     std::uint64_t run) {
  std::vector<RaceRecord> out;
  for (std::size_t i = 0; i < races.size(); i++)
    if (runs[i] == run) out.push_back(races[i]);
  return out;
}

// Nothing failed, but there are races: the first run that shows one can be replayed and looked at. Without the time to
// execute it once more the trace has what the search kept of it.
void trace_race(const HuntArguments& arguments, const HuntRequest& confirming, const Budget& budget, Answer& answer,
                Executor& executor) {
  const RaceFindings& found = answer.races;
  if (found.races.empty() && found.seen_once.empty()) return;
  const std::uint64_t run = found.races.empty() ? found.seen_in.front() : found.runs.front();
  std::vector<RaceRecord> shown = races_of_run(found.races, found.runs, run);
  for (RaceRecord& race : races_of_run(found.seen_once, found.seen_in, run)) shown.push_back(std::move(race));
  const TimeLimit limit(*confirming.worker.stop, budget.all());
  executor.worker().watch(&limit.stop());
  Result<TraceHead> head = std::unexpected(Error{});
  if (!found.races.empty() && !limit.stop())
    head =
        write_race_trace(confirming, answer.result, run, meta_of(arguments, answer), shown, arguments.trace, executor);
  if (!head && (limit.stop() || found.races.empty()) && answer.result.race_runs.contains(run))
    head = write_seen_race_trace(confirming, answer.result, run, meta_of(arguments, answer), std::move(shown),
                                 limit.time_is_up() || found.out_of_time
                                     ? "this run was not executed again: the time of the hunt was used up"
                                     : "this run was not executed again: the hunt was interrupted",
                                 arguments.trace, executor);
  if (head)
    answer.race_trace = std::move(*head);
  else
    answer.no_race_trace = head.error();
}

// PROG-SEED.heddle; --keep-going: PROG-SEED-2.heddle ... behind it
std::filesystem::path trace_of(const HuntArguments& arguments, std::size_t i) {
  std::filesystem::path path = arguments.trace;
  if (i > 0) path.replace_filename(fmt::format("{}-{}{}", path.stem().string(), i + 1, path.extension().string()));
  return path;
}

// A name of ours never replaces what an earlier hunt found.
std::filesystem::path place_for(const HuntArguments& arguments, const std::filesystem::path& trace, Answer& answer) {
  const std::filesystem::path free = arguments.trace_is_named ? trace : unused_trace(trace);
  if (free != trace)
    answer.result.notes.push_back(fmt::format("{} already exists and is kept: this trace is {} (-o FILE replaces FILE)",
                                              trace.string(), free.string()));
  return free;
}

// An interrupt, now or in the search, ends simplification, and so does the time; each failure has its trace all the
// same.
void tell_failures(const HuntArguments& arguments, const HuntRequest& confirming, const Budget& budget, Answer& answer,
                   Executor& executor, bool live) {
  const TimeLimit limit(*confirming.worker.stop, budget.all());
  executor.worker().watch(&limit.stop());
  for (std::size_t i = 0; i < answer.result.failures.size(); i++) {
    ToldFailure& told = answer.told.emplace_back();
    if (answer.places.size() <= i) answer.places.push_back(place_for(arguments, trace_of(arguments, i), answer));
    told.trace = answer.places[i];
    auto witness = write_witness(confirming, answer.result, answer.result.failures[i], meta_of(arguments, answer),
                                 answer.races.races, told.trace, executor, limit);
    if (!witness) {
      told.not_written = witness.error();
      continue;
    }
    told.witness = std::move(*witness);
    if (arguments.simplify && told.confirmed())
      told.simplified = simplify_finding(arguments, told.trace, budget.time(), limit.stop(), live);
  }
}

// The search must not be lost with its trace: the same seed finds the failure again.
Error found_but_not_written(const HuntArguments& arguments, const Answer& answer) {
  const FailingRun& failing = answer.result.failures.front();
  const Error& why = *answer.told.front().not_written;
  return {fmt::format("{} in run {}, seed {}, but {}", failing.outcome.failure->message, failing.index + 1,
                      arguments.request.seed, why.message),
          why.advice};
}

// Until the user stops it. After an interrupt that has a failure to be confirmed, races have to be short.
RaceFindings find_races(const HuntArguments& arguments, HuntRequest confirming, const Budget& budget,
                        const HuntResult& result, Executor& executor) {
  constexpr milliseconds kShort{1000};
  const std::atomic<bool>& stop = result.interrupted ? *confirming.worker.stop : *arguments.request.worker.stop;
  Budget::End end = budget.races();
  if (result.interrupted && !result.failures.empty()) end = TimeLimit::Clock::now() + kShort;
  const TimeLimit limit(stop, end);
  confirming.worker.stop = &limit.stop();
  executor.worker().watch(&limit.stop());
  RaceFindings found = confirm_races(confirming, result, executor);
  executor.worker().watch(nullptr);
  found.out_of_time = found.stopped && limit.time_is_up() && !result.interrupted;
  return found;
}

// What traces hold of the environment, and what is executed again to prove that it is enough.
void choose_environment(const HuntArguments& arguments, std::string whole, Answer& answer, HuntRequest& confirming) {
  const std::vector<std::string>& all = arguments.request.worker.launch.environment;
  const EnvironmentReads& reads = answer.result.environment;
  confirming.worker.launch.environment = whole.empty() ? without_unread(all, reads, true) : all;
  answer.environment = whole.empty() ? without_unread(all, reads, false) : all;
  answer.whole_environment = std::move(whole);
}

std::string why_whole_environment(const HuntArguments& arguments, const Answer& answer, bool executed_again) {
  const WorkerOptions& worker = arguments.request.worker;
  if (!worker.with.empty()) return "the client of --with gets it too";
  return why_whole_environment(worker.launch, worker.launch.program, answer.result.environment, executed_again);
}

// Executed again, but not as before.
bool went_another_way(const Answer& answer) {
  const auto differs = [](const ToldFailure& told) {
    return told.witness && !told.witness->confirmed && !told.witness->interrupted;
  };
  return std::ranges::any_of(answer.told, differs) || (answer.told.empty() && !answer.race_trace);
}

/// Executes what was found again and writes it.
Status confirm(HuntArguments& arguments, HuntRequest& confirming, const Budget& budget, Answer& answer, bool live) {
  auto executor = Executor::create(confirming.worker, std::make_shared<SiteCache>());
  if (!executor) return std::unexpected(executor.error());
  if (Status ready = (*executor)->worker().prepare(); !ready && answer.result.failures.empty()) return ready;
  answer.races = find_races(arguments, confirming, budget, answer.result, **executor);
  answer.result.interrupted |= answer.races.stopped && !answer.races.out_of_time;
  if (answer.result.failures.empty()) {
    arguments.trace = place_for(arguments, arguments.trace, answer);
    trace_race(arguments, confirming, budget, answer, **executor);
  } else {
    tell_failures(arguments, confirming, budget, answer, **executor, live);
  }
  return {};
}

Result<Answer> find(HuntArguments& arguments) {
  const std::atomic<bool>& impatient = outlast_interrupts();
  const Budget budget(arguments.request.time);
  bool live = !arguments.json && !arguments.quiet && is_terminal(2);
  auto result = hunt(arguments.request, [&](const HuntProgress& progress) {
    if (live) show_progress(arguments, progress);
  });
  if (live) say(stderr, "\r\033[K");
  if (!result) return std::unexpected(result.error());
  Answer answer;
  answer.result = std::move(*result);
  if (answer.result.failures.empty() && answer.result.races.empty()) return answer;
  HuntRequest confirming = arguments.request;
  confirming.worker.stop = &impatient;
  const bool in_time = !answer.result.interrupted && !answer.result.out_of_time;
  choose_environment(arguments, why_whole_environment(arguments, answer, in_time), answer, confirming);
  if (Status done = confirm(arguments, confirming, budget, answer, live); !done) return std::unexpected(done.error());
  // Only where nothing else tells whether it needs the rest: a failure does not get a second chance to come back.
  if (answer.whole_environment.empty() && went_another_way(answer) &&
      !why_whole_environment(arguments, answer, false).empty()) {
    answer.told.clear();
    choose_environment(arguments,
                       "executed again with only the variables that it had read, the program behaved differently",
                       answer, confirming);
    if (Status done = confirm(arguments, confirming, budget, answer, live); !done) return std::unexpected(done.error());
  }
  if (answer.result.failures.empty()) return answer;
  answer.result.interrupted |= arguments.request.worker.stop->load();
  if (!answer.foremost() && !arguments.request.keep_going)
    return std::unexpected(found_but_not_written(arguments, answer));
  return answer;
}

// The trace is written by now: a found failure stays found when nobody could be told.
int lost_answer(const Answer& answer, int why) {
  say(stderr, "heddle hunt: cannot write the answer: {}\n", std::strerror(why));
  const std::optional<std::size_t> foremost = answer.foremost();
  if (!foremost) return kInconclusive;
  const ToldFailure& told = answer.told[*foremost];
  say(stderr, "  {}; the trace is {}\n", told.witness->head.failure->message, told.trace.string());
  return status_of(answer);
}

ReportedFailure reported(const Answer& answer, std::size_t i) {
  const ToldFailure& told = answer.told[i];
  return {told.failure(), told.trace, "heddle replay " + shell_word(told.trace.string()),
          answer.result.failures[i].index + 1};
}

std::string why_inconclusive(const Answer& answer) {
  const std::optional<std::size_t> foremost = answer.foremost();
  if (!foremost) return answer.result.interrupted ? "interrupted" : "no run ended";
  const Witness& witness = *answer.told[*foremost].witness;
  if (witness.out_of_time) return "failed once; the time was used up before it was executed again";
  if (witness.interrupted) return "failed once; interrupted before it was executed again";
  if (witness.error) return "failed once; it could not be executed again: " + witness.error->message;
  return "failed once; not reproduced with the same schedule and inputs: " + witness.difference;
}

// The foremost, and behind it all others that are confirmed.
std::vector<std::size_t> indices_to_report(const Answer& answer) {
  const std::optional<std::size_t> foremost = answer.foremost();
  if (!foremost) return {};
  std::vector<std::size_t> out = {*foremost};
  for (std::size_t i = *foremost + 1; i < answer.told.size(); i++)
    if (answer.told[i].confirmed()) out.push_back(i);
  return out;
}

ReportedCase case_of(const HuntArguments& arguments, const Answer& answer) {
  ReportedCase out = program_case(arguments);
  const int status = status_of(answer);
  out.verdict = status == kFound   ? Verdict::kFailed
                : status == kClean ? Verdict::kPassed
                : status == kUsage ? Verdict::kNotTested
                                   : Verdict::kInconclusive;
  if (out.verdict == Verdict::kNotTested) out.why = found_but_not_written(arguments, answer).message;
  if (out.verdict == Verdict::kInconclusive) out.why = why_inconclusive(answer);
  out.runs = answer.result.runs;
  out.seconds = answer.result.seconds;
  out.races = answer.races.races;
  out.notes = answer.result.notes;
  if (const std::optional<std::size_t> foremost = answer.foremost())
    out.output = answer.told[*foremost].witness->head.output;
  for (const std::size_t i : indices_to_report(answer)) out.failures.push_back(reported(answer, i));
  return out;
}

int hunt_program(HuntArguments& arguments) {
  Result<Answer> answer = find(arguments);
  if (!answer) return report_not_tested(arguments, answer.error());
  const int status = write_reports(arguments, {case_of(arguments, *answer)}, status_of(*answer));
  if (int why = written([&] { print_answer(arguments, *answer); })) return lost_answer(*answer, why);
  return status;
}

}  // namespace

Result<Hunted> hunt_one(HuntArguments& arguments) {
  Result<Answer> answer = find(arguments);
  if (!answer) return std::unexpected(answer.error());
  Hunted hunted{status_of(*answer), case_of(arguments, *answer), {}, object_of(arguments, *answer)};
  for (const std::size_t i : indices_to_report(*answer)) hunted.simplified.push_back(simplified_words(answer->told[i]));
  return hunted;
}

int hunt_main(int argc, char** argv) {
  HuntArguments arguments;
  arguments.request.worker.stop = &catch_interrupts();
  adopt_orphans();
  const auto hunt = [&] {
    if (auto status = parse_hunt(argc, argv, arguments)) return *status;
    if (is_plain(arguments.program) && !arguments.json && !arguments.quiet)
      say(stderr, "hunting {}: not built by heddle cc, so only its synchronisation calls are controlled\n",
                 arguments.request.worker.launch.argv.front());
    return arguments.gtest ? hunt_gtest(arguments) : hunt_program(arguments);
  };
  return wants_bisect(argc, argv) ? bisect_status(hunt, arguments.understood) : hunt();
}

}  // namespace heddle
