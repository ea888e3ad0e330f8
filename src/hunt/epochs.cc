#include "src/hunt/epochs.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

constexpr std::uint64_t kUnknownLimit = 20'000'000, kLeastLimit = 2'000'000, kTimesLongest = 100;
constexpr std::uint64_t kLongestEpoch = 4096;
constexpr std::uint64_t kSurveyedSteps = 2000;
constexpr std::uint64_t kWatchedRuns = 64, kWatchEvery = 8;
constexpr std::uint64_t kManyAccesses = 4'000'000;  // of one run: a tenth of a second with the detector
constexpr std::uint64_t kWatchedLongRuns = 10, kWatchLongEvery = 64;

/// Has it a hook? A call of free() has none, and an unknown place is no place.
bool can_be_point(std::uint32_t site, std::uint32_t kind) { return site != 0 && kind != HEDDLE_EV_FREE; }

}  // namespace

std::uint64_t epoch_end(std::uint64_t index) {
  std::uint64_t end = 1;
  while (end <= index && end < kLongestEpoch) end *= 2;
  return end > index ? end : (index / kLongestEpoch + 1) * kLongestEpoch;
}

Epoch next_epoch(const Epoch& epoch, const std::map<std::uint64_t, Lesson>& lessons) {
  Epoch next;
  next.first = epoch.end;
  next.end = epoch_end(epoch.end);
  next.longest = epoch.longest;
  next.accesses = epoch.accesses;
  std::set<std::uint32_t> points(epoch.points.begin(), epoch.points.end());
  for (const auto& [index, lesson] : lessons) {
    next.longest = std::max(next.longest, lesson.steps);
    next.accesses = std::max(next.accesses, lesson.accesses);
    for (const HeddleRace& race : lesson.races)
      for (auto [site, kind] :
           {std::pair(race.first_site, race.first_kind), std::pair(race.second_site, race.second_kind)})
        if (can_be_point(site, kind)) points.insert(site);
    points.insert(lesson.could_race.begin(), lesson.could_race.end());
  }
  next.points.assign(points.begin(), points.end());
  return next;
}

bool both_can_be_points(const HeddleRace& race) {
  return can_be_point(race.first_site, race.first_kind) && can_be_point(race.second_site, race.second_kind);
}

// Accesses are counted in large numbers only: none of its threads made as many.
bool worth_a_survey(const HeddleResult& run) { return run.access_count == 0 && run.steps <= kSurveyedSteps; }

bool at_points(const HeddleRace& race, const Epoch& epoch, HeddlePointSet points) {
  auto is_point = [&](std::uint32_t site, std::uint32_t kind) {
    if (!can_be_point(site, kind)) return false;
    if (heddle_event_properties(kind) & HEDDLE_P_SYNC || points == HEDDLE_POINTS_ALL) return true;
    return points == HEDDLE_POINTS_RACY && std::ranges::binary_search(epoch.points, site);
  };
  return is_point(race.first_site, race.first_kind) && is_point(race.second_site, race.second_kind);
}

bool detector_on(DetectorUse use, const Epoch& epoch, std::uint64_t index) {
  if (use != DetectorUse::kAuto) return use == DetectorUse::kOn;
  if (epoch.accesses > kManyAccesses) return index < kWatchedLongRuns || index % kWatchLongEvery == 0;
  return index < kWatchedRuns || index % kWatchEvery == 0;
}

std::uint64_t step_limit(const Epoch& epoch) {
  if (epoch.longest == 0) return kUnknownLimit;
  return std::max(kLeastLimit, epoch.longest * kTimesLongest);
}

}  // namespace heddle
