#include "src/hunt/hunt.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "src/engine/check.h"
#include "src/failure/same_failure.h"
#include "src/hunt/exhaustive.h"
#include "src/hunt/hand.h"
#include "src/hunt/listed.h"
#include "src/hunt/potential_races.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
constexpr std::uint64_t kSurvey =
    16;  // which run; earlier, programs that fail easily need more runs (docs/benchmarks.md, Search)
constexpr std::uint64_t kInVain = 8;  // runs of which none came to its end
constexpr std::size_t kMaxNotes = 32, kMaxFailures = 100, kMaxRaceRuns = 50;

bool can_be_followed(const RunOutcome& outcome) {
  constexpr std::uint64_t kLongestFollowed = 50'000;  // steps
  return !outcome.races.empty() && outcome.evidence && !outcome.failure && outcome.result.steps <= kLongestFollowed;
}

/// Plans the runs, and learns from their outcomes in the order of their indices.
class Hunter {
 public:
  explicit Hunter(const HuntRequest& request) : request_(request) { begin(); }

  Result<HuntResult> run(const std::function<void(const HuntProgress&)>& on_progress);

 private:
  HuntPool::Planned plan();
  void absorb(HuntOutcome ran);
  std::optional<Clock::time_point> watch(const std::function<void(const HuntProgress&)>& on_progress);
  void begin();
  void learn(const Epoch& epoch);
  void forget_prefixes(Epoch& epoch);
  void fail(std::uint64_t index, RunOutcome outcome);
  void record(std::uint64_t index, RunOutcome outcome, std::optional<Observation> seen);
  void learn_races(std::uint64_t index, const std::vector<HeddleRace>& races);
  bool shows_a_new_race(const RunOutcome& outcome) const;
  void keep_race_run(std::uint64_t index, const RunOutcome& outcome);
  void stopped(std::uint64_t index, RunOutcome outcome);
  void learn_cut_off(std::uint64_t index, CutOff why, std::uint64_t steps);
  void close_epoch();
  void go_alone();
  void summarise();
  std::string not_ordered() const;
  const char* not_given() const;
  Times times_varied() const;

  const HuntRequest& request_;
  const Clock::time_point start_ = Clock::now();
  Noticed noticed_;
  std::mutex told_mutex_;  // guards the next two: what the calling thread looks at
  HuntProgress told_;
  std::size_t race_runs_ = 0;

  // The rest is of plan() and absorb().
  HuntResult result_;
  std::map<std::uint64_t, Lesson> lessons_;                             // of the current epoch
  std::map<std::pair<std::uint32_t, std::uint32_t>, FoundRace> races_;  // lowest run index wins
  std::uint64_t next_ = 0, finished_ = 0;  // runs of this attempt
  std::uint64_t in_flight_ = 0;            // of all attempts: planned and not absorbed
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
  SameInput input_ = SameInput::kSame;          // of an exhaustive strategy
  bool plain_ = false;                          // accesses of the program are not seen
  bool alone_ = false;                          // runs would meet in files: one at a time
  std::uint64_t attempt_ = 0;                   // outcomes of an earlier one do not count
  std::vector<HuntOutcome> interrupted_;
  std::optional<Error> error_;
};

// The program changes files. What ran side by side until now cannot be believed: from the start again, one run at a
// time.
void Hunter::go_alone() {
  alone_ = true;
  if (finished_ == 0 && in_flight_ == 0) return;
  attempt_++;
  begin();
}

// In epochs: what a run is made of is what all runs of earlier ones taught. The first run is always alone: it shows
// whether others may run beside it.
HuntPool::Planned Hunter::plan() {
  const auto over = [&] { return error_ || exhausted_ || in_vain_ || next_ >= std::min(request_.runs, best_); };
  if (over()) return HuntPool::End{};
  const bool one_at_a_time = alone_ || finished_ == 0;
  if (in_flight_ > 0 && (one_at_a_time || noticed_.lowest_failing() < next_)) return HuntPool::Wait{};
  if (next_ >= result_.epochs.back().end) {
    if (in_flight_ > 0) return HuntPool::Wait{};
    close_epoch();
    if (over()) return HuntPool::End{};
  }
  const Epoch& epoch = result_.epochs.back();
  in_flight_++;
  const std::uint64_t index = next_++;
  return HuntRun{index, attempt_, epoch.survey, plan_run(request_, epoch, index)};
}

void Hunter::absorb(HuntOutcome ran) {
  in_flight_--;
  if (!ran.outcome) {
    if (!ran.stopped && !error_) error_ = ran.outcome.error();
    return;
  }
  if (ran.attempt == attempt_ && ran.outcome->result.wrote_files && !alone_ && request_.workers > 1 &&
      !request_.worker.cwd_copy)
    go_alone();
  if (ran.attempt != attempt_ || ran.index > best_) return;
  input_ = std::max(input_, ran.input);
  if (exhaustive_) exhaustive_->learn_inputs(ran.inputs);
  if (ran.outcome->end == RunEnd::kInterrupted)
    interrupted_.push_back(std::move(ran));
  else
    record(ran.index, std::move(*ran.outcome), std::move(ran.seen));
  std::lock_guard lock(told_mutex_);
  told_ = result_.progress;
  race_runs_ = result_.race_runs.size();
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
  noticed_.begin(attempt_);
  best_ = ~0ull;
  exhausted_ = in_vain_ = false;
  cut_offs_.clear();
  input_ = SameInput::kSame;
  exhaustive_.reset();
  listed_.reset();
  if (request_.strategy == Strategy::kAuto) listed_.emplace(request_.seed);
  if (!is_exhaustive(request_.strategy)) return;
  exhaustive_.emplace(request_.strategy, request_.seed, request_.bound);
  exhaustive_->plan(result_.epochs.back(), true);
}

void Hunter::learn_races(std::uint64_t index, const std::vector<HeddleRace>& races) {
  for (const HeddleRace& race : races) {
    auto [known, is_new] = races_.try_emplace(site_pair(race), FoundRace{race, index});
    if (!is_new && index < known->second.run) known->second = {race, index};
  }
}

bool Hunter::shows_a_new_race(const RunOutcome& outcome) const {
  return std::ranges::any_of(outcome.races, [&](const HeddleRace& race) { return !races_.contains(site_pair(race)); });
}

// There may be no time to execute it again: then this is what is known of the race.
void Hunter::keep_race_run(std::uint64_t index, const RunOutcome& outcome) {
  if (!outcome.evidence || outcome.failure) return;
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
  const bool is_new = shows_a_new_race(outcome);
  learn_races(index, outcome.races);
  if (is_new) keep_race_run(index, outcome);
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
  const bool is_new = shows_a_new_race(outcome);
  learn_races(index, outcome.races);
  if (is_new) keep_race_run(index, outcome);
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
    knowledge_.learn(*lesson.seen, steered ? told(pick, *epoch.targets, request_.seed) : Prefix{});
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

void Hunter::close_epoch() {
  Epoch& epoch = result_.epochs.back();
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
  if (exhausted_ || in_vain_) return;
  result_.epochs.push_back(std::move(next));
  result_.progress.racy_points = result_.epochs.back().points.size();
}

// Progress, and when the time of the search is up. Runs with races are executed again after it, one of them with detail:
// the time for that is part of the hunt's.
std::optional<Clock::time_point> Hunter::watch(const std::function<void(const HuntProgress&)>& on_progress) {
  constexpr double kSlower = 2, kWithDetail = 10;
  HuntProgress now;
  std::size_t race_runs = 0;
  {
    std::lock_guard lock(told_mutex_);
    now = told_;
    race_runs = race_runs_;
  }
  now.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (on_progress && now.runs > 0) on_progress(now);
  if (request_.time.count() == 0) return std::nullopt;
  const Clock::time_point end = start_ + request_.time;
  if (race_runs == 0 || now.runs == 0) return end;
  const double run = now.seconds * std::max(1u, request_.workers) / static_cast<double>(now.runs);
  const double needed = run * (kSlower * static_cast<double>(race_runs) + kWithDetail);
  return end - std::min(milliseconds(static_cast<std::int64_t>(needed * 1000)), request_.time / 4);
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
  if (input_ == SameInput::kRandom) return "the program reads random bytes, and other values may lead to others";
  if (input_ == SameInput::kOther) return "the program does not read the same input in each run";
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
  result_.environment = noticed_.environment();
  // Races of runs above the failing one depend on how far the workers were: not part of the result.
  for (const auto& [pair, found] : races_)
    if (found.run <= best_) result_.races.push_back(found);
  std::stable_sort(result_.races.begin(), result_.races.end(),
                   [](const FoundRace& a, const FoundRace& b) { return a.run < b.run; });
}

Result<HuntResult> Hunter::run(const std::function<void(const HuntProgress&)>& on_progress) {
  HuntPool pool({.workers = request_.workers, .stop = request_.worker.stop, .watch = [&] { return watch(on_progress); }},
                hunters(request_, noticed_));
  const Result<PoolEnd> end = pool.run([this](std::uint64_t) { return plan(); },
                                       [this](std::uint64_t, HuntOutcome ran) { absorb(std::move(ran)); });
  if (!end) error_ = end.error();
  result_.interrupted = end && *end == PoolEnd::kInterrupted;
  result_.out_of_time = end && *end == PoolEnd::kOutOfTime;
  if (result_.out_of_time)
    for (HuntOutcome& ran : interrupted_) stopped(ran.index, std::move(*ran.outcome));
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
