#include "src/hunt/hand.h"

#include <algorithm>

#include <sched.h>

#include "src/hunt/changing_input.h"

namespace heddle {
namespace {

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

class Hand final : public HuntPool::Hand {
 public:
  Hand(const HuntRequest& request, Noticed& noticed, const std::atomic<bool>& stop, int cpu,
       std::unique_ptr<Executor> executor)
      : request_(request), noticed_(noticed), stop_(stop), cpu_(cpu), executor_(std::move(executor)) {}
  ~Hand() override { noticed_.merge(executor_->worker().environment_reads()); }

  HuntOutcome execute(std::uint64_t, HuntRun run) override;

 private:
  Result<RunOutcome> execute(RunRequest& request);
  void look_at_end(const HeddleFailure& failure, HuntOutcome& ran);
  SameInput look_at(const std::string& inputs, RunRequest request);

  const HuntRequest& request_;
  Noticed& noticed_;
  const std::atomic<bool>& stop_;
  const int cpu_;
  std::unique_ptr<Executor> executor_;
  Observer observer_;
};

// In light clones writes and computations are not seen: that nobody makes progress is believed only of a fully hooked
// run. Nor is a run kept whose steps have sites in light clones: the same seed takes another schedule with all hooks.
Result<RunOutcome> Hand::execute(RunRequest& request) {
  const auto once = [&] {
    std::function<void(std::span<const HeddleEvent>)> on_events;
    if (request.parameters.observe)
      on_events = [&](std::span<const HeddleEvent> events) { observer_.on_events(events); };
    return executor_->execute(request, std::move(on_events));
  };
  if (noticed_.no_light) request.parameters.light = 0;
  Result<RunOutcome> outcome = once();
  const auto no_progress = [&] {
    return outcome ? outcome->end != RunEnd::kTimeout && outcome->failure &&
                         (outcome->failure->kind == HEDDLE_FAIL_LIVELOCK || outcome->failure->kind == HEDDLE_FAIL_HANG)
                   : executor_->escaped();
  };
  const bool called_by_light = outcome && outcome->result.called_by_light;
  if (!request.parameters.light || stop_ || !(no_progress() || called_by_light)) return outcome;
  request.parameters.light = 0;
  if (request.parameters.observe) (void)observer_.finish();
  outcome = once();
  if (called_by_light || !no_progress()) noticed_.no_light = true;  // it would cost two runs each time
  return outcome;
}

HuntOutcome Hand::execute(std::uint64_t, HuntRun run) {
  HeddleRun& parameters = run.request.parameters;
  parameters.pin_cpu = cpu_;
  const bool observed = parameters.observe != 0, may_be_light = parameters.light != 0;
  observer_.keep_decisions(parameters.strategy == HEDDLE_STRATEGY_PREFIX || run.survey);
  HuntOutcome ran{run.index, run.attempt, execute(run.request), {}, {}, SameInput::kSame, false};
  if (observed) ran.seen = observer_.finish();
  if (ran.outcome) {
    RunOutcome& outcome = *ran.outcome;
    if (may_be_light) outcome.result.access_count = 0;  // whether it was light may depend on other workers' runs
    if (observed && parameters.strategy == HEDDLE_STRATEGY_PREFIX) look_at_end(outcome.result.failure, ran);
    if (outcome.end == RunEnd::kTimeout) outcome.failure.reset();  // that it takes long is no failure
    request_.conditions.judge(outcome);
    const bool interrupted = outcome.end == RunEnd::kInterrupted;
    if (outcome.failure && !interrupted && !request_.keep_going) noticed_.failed(run.attempt, run.index);
    const bool first = noticed_.first_to_show_a_race(run.attempt, run.index, outcome.races);
    if (!outcome.evidence && (outcome.failure || first)) outcome.evidence = executor_->copy_evidence();
    if (!outcome.evidence) outcome.output = {};  // nobody will ask, and outcomes may wait for that of a longer run
    if (is_exhaustive(request_.strategy)) ran.input = look_at(ran.inputs, std::move(run.request));
  }
  ran.stopped = stop_;
  return ran;
}

// How the threads of a run stand that followed a list.
void Hand::look_at_end(const HeddleFailure& failure, HuntOutcome& ran) {
  Evidence left = executor_->copy_evidence();
  ran.seen->pending = pending_of(left.threads);
  ran.inputs = std::move(left.inputs);
  if (failure.kind != HEDDLE_FAIL_NONE && failure.kind != HEDDLE_FAIL_DEADLOCK) ran.seen->failing = failure.thread;
}

// A claim about all schedules needs the same input in all of them. The first run is executed once more, to compare.
SameInput Hand::look_at(const std::string& inputs, RunRequest request) {
  if (asks_for_random(inputs)) return SameInput::kRandom;
  if (request.parameters.run_index != 0 || stop_) return SameInput::kSame;
  request.parameters.observe = 0;
  Result<RunOutcome> again = executor_->execute(request);
  if (!again || again->end == RunEnd::kInterrupted) return SameInput::kSame;  // whatever it is, the next run says it
  return read_the_same(inputs, executor_->copy_evidence().inputs) ? SameInput::kSame : SameInput::kOther;
}

}  // namespace

void Noticed::begin(std::uint64_t attempt) {
  std::lock_guard lock(mutex_);
  attempt_ = attempt;
  shown_.clear();
  lowest_failing_ = ~0ull;
}

bool Noticed::first_to_show_a_race(std::uint64_t attempt, std::uint64_t index, const std::vector<HeddleRace>& races) {
  if (races.empty()) return false;
  std::lock_guard lock(mutex_);
  if (attempt != attempt_) return false;
  bool first = false;
  for (const HeddleRace& race : races) {
    auto [known, is_new] = shown_.try_emplace(site_pair(race), index);
    first |= is_new || index < known->second;
    known->second = std::min(known->second, index);
  }
  return first;
}

void Noticed::failed(std::uint64_t attempt, std::uint64_t index) {
  std::lock_guard lock(mutex_);
  if (attempt == attempt_) lowest_failing_ = std::min(lowest_failing_, index);
}

std::uint64_t Noticed::lowest_failing() const {
  std::lock_guard lock(mutex_);
  return lowest_failing_;
}

void Noticed::merge(const EnvironmentReads& reads) {
  std::lock_guard lock(mutex_);
  environment_.merge(reads);
}

EnvironmentReads Noticed::environment() const {
  std::lock_guard lock(mutex_);
  return environment_;
}

HuntPool::MakeHand hunters(const HuntRequest& request, Noticed& noticed) {
  return [&request, &noticed, sites = std::make_shared<SiteCache>()](
             unsigned worker, const std::atomic<bool>& stop) -> Result<std::unique_ptr<HuntPool::Hand>> {
    const std::vector<int> cpus = allowed_cpus();
    const int cpu = request.options.pin && !cpus.empty() ? cpus[worker % cpus.size()] : -1;
    if (cpu >= 0) stay_on(cpu);
    WorkerOptions options = request.worker;
    options.stop = &stop;
    Result<std::unique_ptr<Executor>> executor = Executor::create(std::move(options), sites);
    if (!executor) return std::unexpected(executor.error());
    return std::make_unique<Hand>(request, noticed, stop, cpu, std::move(*executor));
  };
}

}  // namespace heddle
