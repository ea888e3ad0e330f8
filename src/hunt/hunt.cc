#include "src/hunt/hunt.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include <sched.h>
#include <csignal>

#include <fmt/format.h>

#include "src/engine/check.h"
#include "src/failure/same_failure.h"
#include "src/hunt/changing_input.h"
#include "src/hunt/exhaustive.h"
#include "src/hunt/listed.h"
#include "src/hunt/potential_races.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
constexpr milliseconds kTick{50};
constexpr std::uint64_t kSurvey =
    16;  // which run; earlier, programs that fail easily need more runs (docs/benchmarks.md, Search)
constexpr std::uint64_t kInVain = 8;  // runs of which none came to its end
constexpr std::size_t kMaxNotes = 32, kMaxFailures = 100, kMaxRaceRuns = 50;

std::vector<int> allowed_cpus() {
  std::vector<int> out;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return out;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &set)) out.push_back(cpu);
  return out;
}

// The host thread too: a wake-up on the same processor costs a seventh of one across (notes/engine-measurements.md).
void stay_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

std::pair<std::uint32_t, std::uint32_t> site_pair(const HeddleRace& race) {
  return std::minmax(race.first_site, race.second_site);
}

bool can_be_followed(const RunOutcome& outcome) {
  constexpr std::uint64_t kLongestFollowed = 50'000;  // steps
  return !outcome.races.empty() && outcome.evidence && !outcome.failure && outcome.result.steps <= kLongestFollowed;
}

/// What the workers share; `mutex` guards everything.
class Hunter {
 public:
  explicit Hunter(const HuntRequest& request) : request_(request) { begin(); }

  Result<HuntResult> run(const std::function<void(const HuntProgress&)>& on_progress);

 private:
  void work(unsigned worker);
  void begin();
  void execute_runs(Executor& executor, int cpu);
  Result<RunOutcome> execute(RunRequest& request, Observer& observer, Executor& executor);
  void learn(const Epoch& epoch);
  void forget_prefixes(Epoch& epoch);
  void fail(std::uint64_t index, RunOutcome outcome);
  std::optional<std::uint64_t> next_run(std::unique_lock<std::mutex>& lock);
  void record(std::uint64_t index, RunOutcome outcome, std::optional<Observation> seen);
  void learn_races(std::uint64_t index, const std::vector<HeddleRace>& races);
  bool first_to_show_a_race(std::uint64_t index, const RunOutcome& outcome);
  void keep_race_run(std::uint64_t index, const RunOutcome& outcome);
  void stopped(std::uint64_t index, RunOutcome outcome);
  void learn_cut_off(std::uint64_t index, CutOff why, std::uint64_t steps);
  milliseconds reserved(double seconds) const;
  bool close_epoch_if_done();
  std::uint64_t limit() const;
  bool may_start() const;
  void go_alone();
  bool over() const {
    return stop_ || error_ || bug_ ||
           (in_flight_ == 0 && (exhausted_ || in_vain_ || next_ >= std::min(request_.runs, best_)));
  }
  void watch(const std::function<void(const HuntProgress&)>& on_progress, std::unique_lock<std::mutex>& lock);
  bool user_stopped() const { return request_.worker.stop && request_.worker.stop->load(std::memory_order_relaxed); }
  void summarise();
  std::string not_ordered() const;
  enum class Input { kSame, kOther, kRandom };  // of runs that follow one schedule
  Input look_at(const std::string& inputs, RunRequest request, Executor& executor) const;
  const char* not_given() const;
  Times times_varied() const;

  const HuntRequest& request_;
  const Clock::time_point start_ = Clock::now();
  std::shared_ptr<SiteCache> sites_ = std::make_shared<SiteCache>();
  std::atomic<bool> stop_{false};  // ends runs in flight, too
  std::atomic<bool> no_light_{false};

  std::mutex mutex_;
  std::condition_variable changed_;
  HuntResult result_;
  std::map<std::uint64_t, Lesson> lessons_;                             // of the current epoch
  std::map<std::pair<std::uint32_t, std::uint32_t>, FoundRace> races_;  // lowest run index wins
  std::uint64_t next_ = 0, in_flight_ = 0, finished_ = 0;
  std::optional<Exhaustive> exhaustive_;
  bool small_ = false;      // the first run was
  bool exhausted_ = false;  // nothing is left to execute
  CutOffs cut_offs_;
  bool in_vain_ = false;  // no run comes to its end
  Knowledge knowledge_;     // of closed epochs, as `coverage_`
  Portfolio portfolio_;
  TimeoutShare timeouts_;
  std::optional<Listed> listed_;  // of auto
  Coverage coverage_, live_;
  std::map<std::string, FailingRun> failures_;  // keep_going: by identity(); else the lowest one only
  std::uint64_t best_ = ~0ull;                  // lowest failing index
  Input input_ = Input::kSame;                  // of an exhaustive strategy
  bool plain_ = false;                          // accesses of the program are not seen
  bool alone_ = false;                          // runs would meet in files: one at a time
  std::uint64_t attempt_ = 0;                   // outcomes of an earlier one do not count
  EnvironmentReads environment_;
  std::optional<Error> error_;
  std::exception_ptr bug_;
};

std::uint64_t Hunter::limit() const { return std::min({result_.epochs.back().end, request_.runs, best_}); }

// The first run is always alone: it shows whether others may run beside it.
bool Hunter::may_start() const { return next_ < limit() && (in_flight_ == 0 || (finished_ > 0 && !alone_)); }

// The program changes files. What ran side by side until now cannot be believed: from the start again, one run at a
// time.
void Hunter::go_alone() {
  alone_ = true;
  if (finished_ == 0 && in_flight_ == 0) return;
  attempt_++;
  begin();
}

void Hunter::begin() {
  result_ = {};
  result_.epochs.emplace_back();
  lessons_.clear();
  races_.clear();
  failures_.clear();
  knowledge_ = {};
  portfolio_ = {};
  coverage_ = live_ = {};
  next_ = finished_ = 0;
  best_ = ~0ull;
  exhausted_ = in_vain_ = false;
  cut_offs_.clear();
  input_ = Input::kSame;
  exhaustive_.reset();
  listed_.reset();
  if (request_.strategy == Strategy::kAuto) listed_.emplace(request_.seed);
  if (!is_exhaustive(request_.strategy)) return;
  exhaustive_.emplace(request_.strategy, request_.seed, request_.bound);
  exhaustive_->plan(result_.epochs.back(), true);
}

std::optional<std::uint64_t> Hunter::next_run(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] { return over() || may_start(); });
  if (over()) return std::nullopt;
  in_flight_++;
  return next_++;
}

// In light clones writes and computations are not seen: that nobody makes progress is believed only of a fully hooked
// run. Nor is a run kept whose steps have sites in light clones: the same seed takes another schedule with all hooks.
Result<RunOutcome> Hunter::execute(RunRequest& request, Observer& observer, Executor& executor) {
  const auto once = [&] {
    std::function<void(std::span<const HeddleDecision>)> on_decisions;
    if (request.parameters.observe)
      on_decisions = [&](std::span<const HeddleDecision> decisions) { observer.on_decisions(decisions); };
    return executor.execute(request, {}, std::move(on_decisions));
  };
  if (no_light_) request.parameters.light = 0;
  Result<RunOutcome> outcome = once();
  const auto no_progress = [&] {
    return outcome ? outcome->end != RunEnd::kTimeout && outcome->failure &&
                         (outcome->failure->kind == HEDDLE_FAIL_LIVELOCK || outcome->failure->kind == HEDDLE_FAIL_HANG)
                   : executor.escaped();
  };
  const bool called_by_light = outcome && outcome->result.called_by_light;
  if (!request.parameters.light || stop_ || !(no_progress() || called_by_light)) return outcome;
  request.parameters.light = 0;
  if (request.parameters.observe) (void)observer.finish();
  outcome = once();
  if (called_by_light || !no_progress()) no_light_ = true;  // it would cost two runs each time
  return outcome;
}

void Hunter::execute_runs(Executor& executor, int cpu) {
  Observer observer;
  std::unique_lock lock(mutex_);
  while (std::optional<std::uint64_t> index = next_run(lock)) {
    RunRequest request = plan_run(request_, result_.epochs.back(), *index);
    request.parameters.pin_cpu = cpu;
    std::uint64_t attempt = attempt_;
    const bool survey = result_.epochs.back().survey;
    lock.unlock();
    const bool observed = request.parameters.observe != 0, may_be_light = request.parameters.light != 0;
    observer.keep_decisions(request.parameters.strategy == HEDDLE_STRATEGY_PREFIX || survey);
    Result<RunOutcome> outcome = execute(request, observer, executor);
    if (outcome && may_be_light)
      outcome->result.access_count = 0;  // whether it was light may depend on other workers' runs
    std::optional<Observation> seen;
    if (observed) seen = observer.finish();
    std::string inputs;
    if (observed && outcome && request.parameters.strategy == HEDDLE_STRATEGY_PREFIX) {
      Evidence left = executor.copy_evidence();
      seen->pending = pending_of(left.threads);
      inputs = std::move(left.inputs);
      const HeddleFailure& failure = outcome->result.failure;
      if (failure.kind != HEDDLE_FAIL_NONE && failure.kind != HEDDLE_FAIL_DEADLOCK) seen->failing = failure.thread;
    }
    if (outcome && outcome->end == RunEnd::kTimeout) outcome->failure.reset();  // that it takes long is no failure
    if (outcome) request_.conditions.judge(*outcome);
    if (outcome && !outcome->evidence && (outcome->failure || first_to_show_a_race(*index, *outcome)))
      outcome->evidence = executor.copy_evidence();
    const Input input = outcome && is_exhaustive(request_.strategy) ? look_at(inputs, request, executor) : Input::kSame;
    lock.lock();
    in_flight_--;
    input_ = std::max(input_, input);
    if (exhaustive_ && outcome && attempt == attempt_) exhaustive_->learn_inputs(inputs);
    if (outcome && attempt == attempt_ && outcome->result.wrote_files && !alone_ && request_.workers > 1 &&
        !request_.worker.cwd_copy)
      go_alone();
    if (!outcome) {
      if (!stop_) error_ = outcome.error();
    } else if (outcome->end != RunEnd::kInterrupted && attempt == attempt_) {
      record(*index, std::move(*outcome), std::move(seen));
    } else if (outcome->end == RunEnd::kInterrupted && attempt == attempt_ && result_.out_of_time) {
      stopped(*index, std::move(*outcome));
    }
    if (close_epoch_if_done() || over() || finished_ == 1)
      changed_.notify_all();  // not for each run: a wake-up costs as much as a run's bookkeeping
  }
  environment_.merge(executor.worker().environment_reads());
  changed_.notify_all();
}

// A claim about all schedules needs the same input in all of them. The first run is executed once more, to compare.
Hunter::Input Hunter::look_at(const std::string& inputs, RunRequest request, Executor& executor) const {
  if (asks_for_random(inputs)) return Input::kRandom;
  if (request.parameters.run_index != 0 || stop_) return Input::kSame;
  request.parameters.observe = 0;
  Result<RunOutcome> again = executor.execute(request);
  if (!again || again->end == RunEnd::kInterrupted) return Input::kSame;  // whatever it is, the next run says it
  return read_the_same(inputs, executor.copy_evidence().inputs) ? Input::kSame : Input::kOther;
}

void Hunter::work(unsigned worker) {
  try {
    std::vector<int> cpus = allowed_cpus();
    int cpu = request_.options.pin && !cpus.empty() ? cpus[worker % cpus.size()] : -1;
    if (cpu >= 0) stay_on(cpu);
    WorkerOptions options = request_.worker;
    options.stop = &stop_;
    auto executor = Executor::create(options, sites_);
    if (executor) return execute_runs(**executor, cpu);
    std::lock_guard lock(mutex_);
    error_ = executor.error();
  } catch (...) {
    std::lock_guard lock(mutex_);
    bug_ = std::current_exception();
  }
  changed_.notify_all();
}

void Hunter::learn_races(std::uint64_t index, const std::vector<HeddleRace>& races) {
  for (const HeddleRace& race : races) {
    auto [known, is_new] = races_.try_emplace(site_pair(race), FoundRace{race, index});
    if (!is_new && index < known->second.run) known->second = {race, index};
  }
}

bool Hunter::first_to_show_a_race(std::uint64_t index, const RunOutcome& outcome) {
  if (outcome.races.empty()) return false;
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(outcome.races, [&](const HeddleRace& race) {
    auto known = races_.find(site_pair(race));
    return known == races_.end() || index < known->second.run;
  });
}

// There may be no time to execute it again: then this is what is known of the race.
void Hunter::keep_race_run(std::uint64_t index, const RunOutcome& outcome) {
  if (outcome.races.empty() || !outcome.evidence || outcome.failure) return;
  result_.race_runs.emplace(index, outcome);
  if (result_.race_runs.size() > kMaxRaceRuns) result_.race_runs.erase(std::prev(result_.race_runs.end()));
}

// Its time was used up. What it has shown so far, it has shown.
void Hunter::stopped(std::uint64_t index, RunOutcome outcome) {
  StoppedRuns& all = result_.stopped;
  all.runs++;
  if (outcome.result.steps >= all.steps)
    all.steps = outcome.result.steps, all.threads = std::min(outcome.result.thread_count, HEDDLE_MAX_THREADS);
  outcome.complete = false;
  outcome.failure.reset();
  learn_races(index, outcome.races);
  keep_race_run(index, outcome);
}

// The lowest run of each distinct failure; without keep_going the lowest failing run ends the hunt.
void Hunter::fail(std::uint64_t index, RunOutcome outcome) {
  if (!request_.keep_going) {
    if (index >= best_) return;
    best_ = index;
    failures_.clear();
    failures_.emplace(std::string(), FailingRun{index, std::move(outcome)});
    return;
  }
  const std::string failure = identity(*outcome.failure);
  auto known = failures_.find(failure);
  if (known == failures_.end()) {
    if (failures_.size() < kMaxFailures) failures_.emplace(failure, FailingRun{index, std::move(outcome)});
  } else {
    known->second.times++;
    if (index < known->second.index) known->second.index = index, known->second.outcome = std::move(outcome);
  }
  result_.progress.failures = failures_.size();
}

// What it would have done later is not known: it says nothing about the number of schedules. At the step bound, it says
// that the bound was too low.
void Hunter::learn_cut_off(std::uint64_t index, CutOff why, std::uint64_t steps) {
  constexpr std::uint64_t kRaised =
      25;  // step_limit() is 100 times the longest run: four times the bound that was reached
  cut_offs_.add(index, why, steps);
  if (why != CutOff::kTime) lessons_[index].steps = steps / kRaised;
  if (exhaustive_) lessons_[index].seen.reset();
}

void Hunter::record(std::uint64_t index, RunOutcome outcome, std::optional<Observation> seen) {
  finished_++;
  HuntProgress& progress = result_.progress;
  progress.runs = finished_;
  progress.threads = std::max(progress.threads, std::min(outcome.result.thread_count, HEDDLE_MAX_THREADS));
  progress.longest = std::max(progress.longest, outcome.result.steps);
  plain_ |= outcome.result.preloaded != 0;
  learn_races(index, outcome.races);
  keep_race_run(index, outcome);
  progress.races = races_.size();
  for (const std::string& note : outcome.notes)
    if (result_.notes.size() < kMaxNotes &&
        std::find(result_.notes.begin(), result_.notes.end(), note) == result_.notes.end())
      result_.notes.push_back(note);
  std::vector<std::uint32_t> could_race;
  if (seen && result_.epochs.back().survey) {  // with points that later runs do not have: it compares with none of them
    could_race = potential_races(seen->decisions);
    seen.reset();
  }
  if (seen) {
    live_.add(*seen);
    progress.coverage = live_.summary();
  }
  lessons_[index] = {
      outcome.result.steps,       outcome.races, std::move(seen), outcome.result.timed_waits, {}, std::move(could_race),
      outcome.result.access_count};
  if (can_be_followed(outcome) && !result_.epochs.back().survey) lessons_[index].choices = outcome.evidence->choices;
  if (const auto why = cut_off(outcome)) learn_cut_off(index, *why, outcome.result.steps);
  if (index == 0) small_ = worth_a_survey(outcome.result);
  if (outcome.failure) fail(index, std::move(outcome));
}

// In the order of run indices.
void Hunter::learn(const Epoch& epoch) {
  for (const auto& [index, lesson] : lessons_) {
    if (index > best_) break;
    bool new_race = false;
    for (const HeddleRace& race : lesson.races) {
      if (!knowledge_.learn_race(site_pair(race))) continue;
      new_race = true;
      if (!lesson.choices.empty() && both_can_be_points(race) && request_.points == HEDDLE_POINTS_RACY)
        knowledge_.learn_race_run(
            {site_pair(race), race.step, lesson.choices, plan_run(request_, epoch, index).points});
    }
    const bool early = epoch.timeouts.chance(request_.seed, index) > 0;
    if (!lesson.seen) {
      timeouts_.learn(lesson.timed_waits, early, false, false);
      continue;
    }
    const News news = coverage_.add(*lesson.seen);
    timeouts_.learn(lesson.timed_waits, early, true, news.pair || news.order);
    const Pick pick = pick_of(request_, epoch, index);
    if (request_.strategy == Strategy::kAuto) portfolio_.learn(pick.strategy, news, new_race);
    const bool steered = pick.strategy == Strategy::kRff && epoch.targets;
    std::vector<HeddleReadsFrom> told;
    if (steered) told = aim_of(pick, *epoch.targets, request_.seed).targets.reads_from;
    knowledge_.learn(*lesson.seen, told);
  }
}

// Only runs that may be executed again are worth the memory.
void Hunter::forget_prefixes(Epoch& epoch) {
  std::erase_if(epoch.prefixes, [&](const auto& planned) {
    auto is_it = [&](const auto& found) { return found.second.run == planned.first; };
    auto failed = [&](const auto& found) { return found.second.index == planned.first; };
    return std::ranges::none_of(races_, is_it) && std::ranges::none_of(failures_, failed);
  });
}

bool Hunter::close_epoch_if_done() {
  Epoch& epoch = result_.epochs.back();
  if (in_flight_ > 0 || next_ < epoch.end || best_ < epoch.end || next_ >= request_.runs || exhausted_) return false;
  Epoch next = next_epoch(epoch, lessons_);
  learn(epoch);
  if (request_.time_model == TimeModel::kLoose) next.timeouts = timeouts_.next();
  if (exhaustive_) {
    exhaustive_->learn(epoch, lessons_);
    exhausted_ = !exhaustive_->plan(next, next.points != epoch.points && request_.points == HEDDLE_POINTS_RACY);
  } else {
    next.targets = knowledge_.targets();
  }
  if (listed_) {
    listed_->learn(epoch, lessons_);
    next.mix = portfolio_.next(*next.targets, request_.seed, next.first, next.end);
    next.survey = next.first == kSurvey && small_ && request_.points == HEDDLE_POINTS_RACY;
    if (next.survey) next.end = next.first + 1;
    if (!next.survey) listed_->plan(next, next.points != epoch.points && request_.points == HEDDLE_POINTS_RACY);
  }
  forget_prefixes(epoch);
  lessons_.clear();
  in_vain_ = next.first >= kInVain && cut_offs_.size() == finished_;
  if (exhausted_ || in_vain_) return true;
  result_.epochs.push_back(std::move(next));
  result_.progress.racy_points = result_.epochs.back().points.size();
  return true;
}

// Runs with races are executed again after the search, one of them with detail: the time for it is part of the hunt's.
milliseconds Hunter::reserved(double seconds) const {
  constexpr double kSlower = 2, kWithDetail = 10;
  if (result_.race_runs.empty() || finished_ == 0) return {};
  const double run = seconds * std::max(1u, request_.workers) / static_cast<double>(finished_);
  const double needed = run * (kSlower * static_cast<double>(result_.race_runs.size()) + kWithDetail);
  return std::min(milliseconds(static_cast<std::int64_t>(needed * 1000)), request_.time / 4);
}

void Hunter::watch(const std::function<void(const HuntProgress&)>& on_progress, std::unique_lock<std::mutex>& lock) {
  while (!over()) {
    milliseconds tick = kTick;
    if (request_.time.count() > 0) {
      const auto left = start_ + request_.time - reserved(result_.progress.seconds) - Clock::now();
      tick = std::clamp(std::chrono::ceil<milliseconds>(left), milliseconds(1), kTick);
    }
    changed_.wait_for(lock, tick, [&] { return over(); });
    double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    result_.progress.seconds = seconds;
    if (user_stopped()) {
      result_.interrupted = true;
      stop_ = true;
    } else if (request_.time.count() > 0 && !over() &&
               seconds * 1000 >= static_cast<double>((request_.time - reserved(seconds)).count())) {
      result_.out_of_time = true;
      stop_ = true;
    }
    if (on_progress && !over()) {
      HuntProgress now = result_.progress;
      lock.unlock();
      on_progress(now);
      lock.lock();
    }
  }
  changed_.notify_all();
}

// What schedules do not order: of this nothing is said. Empty: nothing.
std::string Hunter::not_ordered() const {
  if (plain_) return "what the program does between its calls: it is not instrumented";
  if (request_.detector == DetectorUse::kOff && request_.points != HEDDLE_POINTS_ALL)
    return "accesses that race: the detector was off";
  const auto hidden = std::ranges::count_if(
      races_, [&](const auto& found) { return !at_points(found.second.race, result_.epochs.back(), request_.points); });
  if (hidden == 0) return {};
  return fmt::format("{} data race{} where no thread can be switched", hidden, hidden == 1 ? "" : "s");
}

// Why what was executed is not all that the program can do. Empty: it is.
const char* Hunter::not_given() const {
  if (input_ == Input::kRandom) return "the program reads random bytes, and other values may lead to others";
  if (input_ == Input::kOther) return "the program does not read the same input in each run";
  return "";
}

Times Hunter::times_varied() const {
  if (timeouts_.next().waits == 0) return Times::kNone;
  return request_.time_model == TimeModel::kLoose ? Times::kVaried : Times::kOnlyWhenDue;
}

void Hunter::summarise() {
  result_.cut_off = cut_offs_.count(best_);
  if (alone_)
    result_.notes.emplace_back(
        "the program changes files: one run at a time, and each run finds them as the previous one left them "
        "(--cwd-copy gives each run a copy of the folder)");
  result_.seconds = result_.progress.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (!lessons_.empty()) learn(result_.epochs.back());
  result_.coverage = coverage_.summary();
  result_.coverage.times = times_varied();
  if (exhausted_)
    result_.complete = exhaustive_->words(!failures_.empty(), not_ordered(), not_given(), result_.coverage.times);
  if (exhausted_ && result_.cut_off.all() > 0)
    result_.complete = "not all schedules could be executed to their end: some runs were cut off";
  if (exhaustive_ && !exhausted_) {
    const Epoch& last = result_.epochs.back();
    std::erase_if(lessons_, [&](const auto& lesson) { return lesson.first > best_; });  // as far as the workers were
    std::uint64_t left = last.end - last.first - lessons_.size();                       // planned, and not executed
    exhaustive_->learn(last, lessons_);
    result_.coverage.waiting = exhaustive_->waiting() + left;
  } else if (exhaustive_) {
    result_.coverage.waiting = 0;
  }
  for (auto& [failure, failing] : failures_) result_.failures.push_back(std::move(failing));
  std::ranges::sort(result_.failures, {}, &FailingRun::index);
  result_.runs = best_ != ~0ull ? best_ + 1 : finished_;
  result_.coverage.of_runs = result_.runs;
  result_.environment = environment_;
  // Races of runs above the failing one depend on how far the workers were: not part of the result.
  for (const auto& [pair, found] : races_)
    if (found.run <= best_) result_.races.push_back(found);
  std::stable_sort(result_.races.begin(), result_.races.end(),
                   [](const FoundRace& a, const FoundRace& b) { return a.run < b.run; });
}

Result<HuntResult> Hunter::run(const std::function<void(const HuntProgress&)>& on_progress) {
  // Signals are for the calling thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, request_.workers); i++) threads.emplace_back([this, i] { work(i); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  {
    std::unique_lock lock(mutex_);
    watch(on_progress, lock);
  }
  for (std::thread& thread : threads) thread.join();
  if (bug_) std::rethrow_exception(bug_);
  if (error_ && failures_.empty()) return std::unexpected(*error_);
  if (error_) result_.notes.push_back("the hunt ended early: " + error_->message);
  summarise();
  return std::move(result_);
}

}  // namespace

const Epoch& epoch_of(const HuntResult& result, std::uint64_t index) {
  for (const Epoch& epoch : result.epochs)
    if (index >= epoch.first && index < epoch.end) return epoch;
  bug("no epoch holds this run", __FILE__, __LINE__);
}

Result<HuntResult> hunt(const HuntRequest& request, const std::function<void(const HuntProgress&)>& on_progress) {
  return Hunter(request).run(on_progress);
}

}  // namespace heddle
