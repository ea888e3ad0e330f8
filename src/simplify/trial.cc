#include "src/simplify/trial.h"

#include <algorithm>

#include "abi/guide.h"
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
  if (!was_cut_off(failure_) && run.max_steps)
    run.max_steps = std::min(run.max_steps, std::max(kLongestShort, kTimesLonger * base.steps));
  request.schedule.clear();
  request.expect.clear();
  request.guide = guide_to(base, turns, rejoining);
  executions_++;
  Result<RunOutcome> outcome = executor_.execute(request);
  if (!outcome) return std::unexpected(outcome.error());
  conditions_.judge(*outcome);
  Trial trial;
  trial.interrupted = outcome->end == RunEnd::kInterrupted;
  trial.wrote_files = outcome->result.wrote_files;
  if (!outcome->evidence) outcome->evidence = executor_.copy_evidence();
  const auto steps = executor_.worker().region().copy<HeddleGuidedStep>(HEDDLE_AREA_GUIDED, outcome->result.steps);
  trial.execution = execution_of(steps, outcome->evidence->threads, outcome->result);
  trial.same_failure = !trial.interrupted && !outcome->result.divergence.happened && outcome->result.overflow == 0 && outcome->result.cut_off == 0 &&
                       outcome->failure && heddle::same_failure(*outcome->failure, failure_);
  if (!run.feed && !accept_chance_ && chance_in(outcome->evidence->inputs)) trial.same_failure = false;
  // As the run left them: what it wrote is its own.
  if (run.feed)
    outcome->evidence->inputs = executor_.worker().region().copy_bytes(HEDDLE_AREA_INPUTS_IN, run_.inputs.size());
  trial.outcome = std::move(*outcome);
  return trial;
}

RunRequest Trials::again(const Trial& trial) const {
  const Evidence& evidence = *trial.outcome.evidence;
  RunRequest request = following(run_.parameters, evidence.choices, evidence.inputs, run_.points);
  request.limits = run_.limits;
  return request;
}

}  // namespace heddle
