// One run of a hunt: what the program is told.
#include <algorithm>

#include "src/engine/check.h"
#include "src/hunt/hunt.h"

namespace heddle {
namespace {

constexpr std::uint32_t kFirstLengthGuess = 64;
constexpr std::uint32_t kLongestObserved = 50'000;  // steps: of a longer run the beginning, and not of each
constexpr std::uint32_t kAll = ~0u;

// Random and pct learn nothing from it, and speed is their point: a sample is enough to tell the user.
bool observes(const HuntRequest& request, std::uint64_t index, const Epoch& epoch) {
  const Strategy strategy = request.strategy;
  if (is_exhaustive(strategy)) return true;
  const bool only_tells = strategy == Strategy::kRandom || strategy == Strategy::kPct;
  if (only_tells && !request.options.coverage) return false;
  if (epoch.longest > kLongestObserved) return index % 64 == 0;
  if (only_tells) return index < 64 || index % 32 == 0;
  if (strategy == Strategy::kAuto) return index < 512 || index % 4 == 0;  // of each strategy in it, as many
  return true;
}

std::vector<std::uint32_t> points_of_follow_up(const RaceRun& run) {
  std::vector<std::uint32_t> points = run.points;
  points.insert(points.end(), {run.sites.first, run.sites.second});
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

void aim(RunRequest& plan, Aim at) {
  plan.targets = std::move(at.targets);
  plan.schedule = std::move(at.schedule);
}

}  // namespace

Pick pick_of(const HuntRequest& request, const Epoch& epoch, std::uint64_t index) {
  if (request.strategy != Strategy::kAuto) return {request.strategy, index};
  if (epoch.survey) return {Strategy::kPos, 0};
  Pick pick = pick_of(epoch.mix, epoch.first, index);
  if (pick.strategy == Strategy::kIcb && !epoch.prefixes.contains(index)) pick.strategy = Strategy::kPos;  // not enough
  return pick;
}

RunRequest plan_run(const HuntRequest& request, const Epoch& epoch, std::uint64_t index) {
  HEDDLE_CHECK(index >= epoch.first && index < epoch.end);
  RunRequest plan;
  HeddleRun& run = plan.parameters;
  request.options.fill(run);
  run.seed = request.seed;
  run.run_index = index;
  const Pick pick = pick_of(request, epoch, index);
  const Strategy strategy = pick.strategy;
  run.strategy = runtime_strategy(strategy);
  if (auto prefix = epoch.prefixes.find(index); prefix != epoch.prefixes.end())
    plan.schedule = prefix->second;
  else if (epoch.targets)
    aim(plan, aim_of(pick, *epoch.targets, request.seed));
  const bool listed = is_exhaustive(strategy);  // what was left undone is known from the decisions of the whole run
  run.observe = listed ? kAll : observes(request, index, epoch) ? kLongestObserved : 0;
  run.point_set = epoch.survey ? HEDDLE_POINTS_ALL : request.points;
  run.time_model = request.time_model == TimeModel::kLoose ? HEDDLE_TIME_LOOSE : HEDDLE_TIME_VIRTUAL;
  run.early_timeouts = epoch.timeouts.chance(request.seed, index);
  run.detail = kNoDetail;
  run.inspect = 1;  // costs only runs that fail, and tells an assertion from an abort
  run.detector =
      detector_on(request.detector, epoch, index) || request.options.fail_on_race ||
      (is_exhaustive(request.strategy) && request.detector == DetectorUse::kAuto);  // else a point may be missed
  run.light = request.options.light && !run.detector && run.point_set != HEDDLE_POINTS_ALL;
  run.pct_depth = request.depth
                      ? request.depth
                      : 2 + static_cast<std::uint32_t>((index + index / 8) % 4);  // not in step with detector_on()
  run.pct_steps = epoch.longest == 0 ? kFirstLengthGuess
                                     : static_cast<std::uint32_t>(std::min<std::uint64_t>(epoch.longest, 1u << 31));
  if (run.max_steps == 0) run.max_steps = step_limit(epoch);
  if (run.point_set == HEDDLE_POINTS_RACY) plan.points = epoch.points;
  if (strategy == Strategy::kFollowUp) plan.points = points_of_follow_up(followed(pick, *epoch.targets, request.seed));
  plan.limits = {request.options.hang_timeout, request.options.run_timeout};
  return plan;
}

}  // namespace heddle
