#include "src/hunt/find.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/engine/describe_run.h"
#include "src/engine/environment.h"
#include "src/engine/time_limit.h"
#include "src/trace/meta_keys.h"
#include "src/trace/new_trace.h"

namespace heddle {
namespace {

using std::chrono::milliseconds;

Meta meta_of(const FindTask& task, const Answer& answer) {
  Meta meta = describe_run(task.program, task.request.worker.launch, task.heddle_version);
  meta.environment = answer.environment;
  if (!answer.whole_environment.empty()) meta.more[meta_key::kWholeEnvironment] = answer.whole_environment;
  meta.has_standard_input = task.input.has_value();
  if (task.input) meta.standard_input = task.input->bytes;
  if (const std::string& test = task.request.conditions.gtest(); !test.empty()) meta.more[meta_key::kGtest] = test;
  return meta;
}

// The hunt's time, and what may be spent beyond it to say what was found.
class TimeOfHunt {
 public:
  explicit TimeOfHunt(milliseconds search) : search_(search) {}
  using End = std::optional<TimeLimit::Clock::time_point>;
  /// Of what can be left out: simplification, more races.
  End search() const { return after(milliseconds(0)); }
  /// Of everything.
  End all() const { return after(overtime()); }
  /// Of the races: something else has to be executed behind them.
  End races() const {
    const auto now = TimeLimit::Clock::now();
    return limited() ? End(now + std::max(*all() - now, {}) / 2) : End();
  }

 private:
  bool limited() const { return search_.count() > 0; }
  milliseconds overtime() const { return std::max(search_ / 40, milliseconds(100)); }
  End after(milliseconds more) const { return limited() ? End(start_ + search_ + more) : End(); }

  TimeLimit::Clock::time_point start_ = TimeLimit::Clock::now();
  milliseconds search_;
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
void trace_race(const FindTask& task, const HuntRequest& confirming, const TimeOfHunt& time, Answer& answer,
                Executor& executor) {
  const RaceFindings& found = answer.races;
  if (found.races.empty() && found.seen_once.empty()) return;
  const std::uint64_t run = found.races.empty() ? found.seen_in.front() : found.runs.front();
  std::vector<RaceRecord> shown = races_of_run(found.races, found.runs, run);
  for (RaceRecord& race : races_of_run(found.seen_once, found.seen_in, run)) shown.push_back(std::move(race));
  const TimeLimit limit(*confirming.worker.stop, time.all());
  executor.worker().watch(&limit.stop());
  Result<TraceHead> head = std::unexpected(Error{});
  if (!found.races.empty() && !limit.stop())
    head = write_race_trace(confirming, answer.result, run, meta_of(task, answer), shown, answer.race_place, executor);
  if (!head && (limit.stop() || found.races.empty()) && answer.result.race_runs.contains(run))
    head = write_seen_race_trace(confirming, answer.result, run, meta_of(task, answer), std::move(shown),
                                 limit.time_is_up() || found.out_of_time
                                     ? "this run was not executed again: the time of the hunt was used up"
                                     : "this run was not executed again: the hunt was interrupted",
                                 answer.race_place, executor);
  if (head)
    answer.race_trace = std::move(*head);
  else
    answer.no_race_trace = head.error();
}

// PROG-SEED.heddle; --keep-going: PROG-SEED-2.heddle ... behind it
std::filesystem::path trace_of(const FindTask& task, std::size_t i) {
  std::filesystem::path path = task.trace;
  if (i > 0) path.replace_filename(fmt::format("{}-{}{}", path.stem().string(), i + 1, path.extension().string()));
  return path;
}

// A name of ours never replaces what an earlier hunt found.
std::filesystem::path place_for(const FindTask& task, const std::filesystem::path& trace, Answer& answer) {
  const std::filesystem::path free = task.trace_is_named ? trace : unused_trace(trace);
  if (free != trace)
    answer.result.notes.push_back(fmt::format("{} already exists and is kept: this trace is {} (-o FILE replaces FILE)",
                                              trace.string(), free.string()));
  return free;
}

SimplifyTask simplification_of(const FindTask& task, const std::atomic<bool>& give_up, const FindProgress& progress) {
  SimplifyTask out;
  out.session.engine = task.request.options;
  out.session.user = task.user;
  out.session.stop = task.request.worker.stop;
  out.give_up = &give_up;
  out.on_progress = progress.simplifying;
  return out;
}

// An interrupt, now or in the search, ends simplification, and so does the time; each failure has its trace all the
// same.
void tell_failures(const FindTask& task, const HuntRequest& confirming, const TimeOfHunt& time, Answer& answer,
                   Executor& executor, const FindProgress& progress) {
  const TimeLimit limit(*confirming.worker.stop, time.all());
  executor.worker().watch(&limit.stop());
  for (std::size_t i = 0; i < answer.result.failures.size(); i++) {
    ToldFailure& told = answer.told.emplace_back();
    if (answer.places.size() <= i) answer.places.push_back(place_for(task, trace_of(task, i), answer));
    told.trace = answer.places[i];
    auto witness = write_witness(confirming, answer.result, answer.result.failures[i], meta_of(task, answer),
                                 answer.races.races, told.trace, executor, limit);
    if (!witness) {
      told.not_written = witness.error();
      continue;
    }
    told.witness = std::move(*witness);
    if (!task.simplify || !told.confirmed()) continue;
    told.simplified = simplify_finding(simplification_of(task, limit.stop(), progress), told.trace, time.search());
    if (progress.done) progress.done();
  }
}

// Until the user stops it. After an interrupt that has a failure to be confirmed, races have to be short.
RaceFindings find_races(const FindTask& task, HuntRequest confirming, const TimeOfHunt& time, const HuntResult& result,
                        Executor& executor) {
  constexpr milliseconds kShort{1000};
  const std::atomic<bool>& stop = result.interrupted ? *confirming.worker.stop : *task.request.worker.stop;
  TimeOfHunt::End end = time.races();
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
void choose_environment(const FindTask& task, std::string whole, Answer& answer, HuntRequest& confirming) {
  const std::vector<std::string>& all = task.request.worker.launch.environment;
  const EnvironmentReads& reads = answer.result.environment;
  confirming.worker.launch.environment = whole.empty() ? without_unread(all, reads, true) : all;
  answer.environment = whole.empty() ? without_unread(all, reads, false) : all;
  answer.whole_environment = std::move(whole);
}

std::string why_whole_environment(const FindTask& task, const Answer& answer, bool executed_again) {
  const WorkerOptions& worker = task.request.worker;
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
Status confirm_findings(const FindTask& task, HuntRequest& confirming, const TimeOfHunt& time, Answer& answer,
                        const FindProgress& progress) {
  auto executor = Executor::create(confirming.worker, std::make_shared<SiteCache>());
  if (!executor) return std::unexpected(executor.error());
  if (Status ready = (*executor)->worker().prepare(); !ready && answer.result.failures.empty()) return ready;
  answer.races = find_races(task, confirming, time, answer.result, **executor);
  answer.result.interrupted |= answer.races.stopped && !answer.races.out_of_time;
  if (answer.result.failures.empty()) {
    if (answer.race_place.empty()) answer.race_place = place_for(task, task.trace, answer);
    trace_race(task, confirming, time, answer, **executor);
  } else {
    tell_failures(task, confirming, time, answer, **executor, progress);
  }
  return {};
}

}  // namespace

Error found_but_not_written(const FindTask& task, const Answer& answer) {
  const FailingRun& failing = answer.result.failures.front();
  const Error& why = *answer.told.front().not_written;
  return {fmt::format("{} in run {}, seed {}, but {}", failing.outcome.failure->message, failing.index + 1,
                      task.request.seed, why.message),
          why.advice};
}

std::optional<std::size_t> Answer::foremost() const {
  std::optional<std::size_t> written;
  for (std::size_t i = 0; i < told.size(); i++) {
    if (told[i].confirmed()) return i;
    if (told[i].witness && !written) written = i;
  }
  return written;
}

Result<Answer> find(const FindTask& task, const FindProgress& progress) {
  const TimeOfHunt time(task.request.time);
  auto result = hunt(task.request, progress.searching);
  if (progress.done) progress.done();
  if (!result) return std::unexpected(result.error());
  Answer answer;
  answer.result = std::move(*result);
  if (answer.result.failures.empty() && answer.result.races.empty()) return answer;
  HuntRequest confirming = task.request;
  confirming.worker.stop = task.give_up;
  const bool in_time = !answer.result.interrupted && !answer.result.out_of_time;
  choose_environment(task, why_whole_environment(task, answer, in_time), answer, confirming);
  const auto confirm = [&] { return confirm_findings(task, confirming, time, answer, progress); };
  if (Status done = confirm(); !done) return std::unexpected(done.error());
  // Only where nothing else tells whether it needs the rest: a failure does not get a second chance to come back.
  if (answer.whole_environment.empty() && went_another_way(answer) &&
      !why_whole_environment(task, answer, false).empty()) {
    answer.told.clear();
    choose_environment(task, "executed again with only the variables that it had read, the program behaved differently",
                       answer, confirming);
    if (Status done = confirm(); !done) return std::unexpected(done.error());
  }
  if (answer.result.failures.empty()) return answer;
  answer.result.interrupted |= task.request.worker.stop->load();
  if (!answer.foremost() && !task.request.keep_going) return std::unexpected(found_but_not_written(task, answer));
  return answer;
}

}  // namespace heddle
