#include "src/simplify/trial.h"

#include <algorithm>

#include "abi/guide.h"
#include "abi/record_hooks.h"
#include "src/engine/confirm.h"
#include "src/engine/ending.h"
#include "src/engine/replay.h"
#include "src/failure/same_failure.h"
#include "src/simplify/chance.h"

namespace heddle {
namespace {

// A variant may spin where the original did not: it need not spin for as long as a hunt would let it.
constexpr std::uint64_t kLongestShort = 100'000, kTimesLonger = 20;

Guide guide_to(const Execution& base, const Turns& turns, Rejoining rejoining) {
  Guide guide;
  guide.anywhere = rejoining == Rejoining::kAnywhere;
  for (const Turn& turn : turns) guide.turns.push_back({turn.thread, turn.end, turn.joined});
  for (const Path& path : base.threads) {
    guide.paths.push_back({path.parent, path.ordinal, static_cast<std::uint32_t>(guide.actions.size()),
                           static_cast<std::uint32_t>(path.actions.size())});
    guide.actions.insert(guide.actions.end(), path.actions.begin(), path.actions.end());
  }
  return guide;
}

}  // namespace

Trials::Trials(Executor& executor, const RunRequest& run, const FailureConditions& conditions,
               const FailureRecord& failure)
    : executor_(executor), run_(run), conditions_(conditions), failure_(failure) {}

Result<Trial> Trials::execute(const Execution& base, const Turns& turns, Rejoining rejoining) {
  RunRequest request = run_;
  HeddleRun& run = request.parameters;
  run.strategy = HEDDLE_STRATEGY_GUIDED;
  run.strict = 0;
  run.feed = inputs_ == InputSource::kRecorded;
  run.detail = kNoDetail;
  if (!run.feed) request.inputs.clear();
  // How time passed is known to the schedule of the lifted trace, and not to a guide.
  if (run.recorded == HEDDLE_RECORDED_LIFTED) run.time_model = HEDDLE_TIME_LOOSE;
  if (!was_cut_off(failure_) && run.max_steps)
    run.max_steps = std::min(run.max_steps, std::max(kLongestShort, kTimesLonger * base.steps));
  request.schedule.clear();
  request.expect.clear();
  request.guide = guide_to(base, turns, rejoining);
  request.guide.early = early_waits_ && run.time_model == HEDDLE_TIME_LOOSE;
  executions_++;
  const auto differs = [&](const RunOutcome& outcome) { return this->differs(outcome, run.feed != 0); };
  Result<Confirmation> led = confirm(executor_, request, {conditions_, differs});
  if (!led) return std::unexpected(led.error());
  Trial trial;
  trial.same_failure = !led->difference;
  trial.interrupted = led->interrupted();
  const HeddleResult& result = led->outcome.result;
  Evidence& evidence = *led->outcome.evidence;
  trial.wrote_files = result.wrote_files;
  const Region& region = executor_.worker().region();
  trial.execution =
      execution_of(region.copy<HeddleGuidedStep>(HEDDLE_AREA_GUIDED, result.steps), evidence.threads, result);
  // As the run left them: what it wrote is its own.
  if (run.feed) evidence.inputs = region.copy_bytes(HEDDLE_AREA_INPUTS_IN, run_.inputs.size());
  trial.outcome = std::move(led->outcome);
  return trial;
}

std::optional<std::string> Trials::differs(const RunOutcome& outcome, bool fed) const {
  if (outcome.result.divergence.happened || outcome.result.overflow != 0) return "it could not be led";
  if (!outcome.failure || !same_failure(*outcome.failure, failure_)) return "it did not fail in the same way";
  if (!fed && !accept_chance_ && chance_in(outcome.evidence->inputs)) return "it read what is up to chance";
  return std::nullopt;
}

RunRequest Trials::again(const Trial& trial) const {
  const Evidence& evidence = *trial.outcome.evidence;
  RunRequest request = following(run_.parameters, evidence.choices, evidence.inputs, run_.points);
  request.limits = run_.limits;
  return request;
}

}  // namespace heddle
