#include "src/hunt/epochs.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

HeddleRace race(std::uint32_t first, std::uint32_t second) {
  HeddleRace out{};
  out.first_site = first;
  out.second_site = second;
  return out;
}

TEST(Epochs, BoundariesAreFixed) {
  std::vector<std::uint64_t> ends;
  for (std::uint64_t at = 0; at < 1000; at = epoch_end(at)) ends.push_back(epoch_end(at));
  EXPECT_EQ(ends, (std::vector<std::uint64_t>{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}));
  EXPECT_EQ(epoch_end(3), 4u);
  EXPECT_EQ(epoch_end(200), 256u);
  EXPECT_EQ(epoch_end(4095), 4096u);
  EXPECT_EQ(epoch_end(4096), 8192u);
  EXPECT_EQ(epoch_end(8192), 12288u);
}

TEST(Epochs, TheNextOneDependsOnWhatRunsTaughtNotOnWhoFinishedFirst) {
  Epoch epoch{4, 16, {9}, 10};
  std::map<std::uint64_t, Lesson> forward, backward;
  for (std::uint64_t i = 4; i < 16; i++) forward[i] = {i, {race(20 - static_cast<std::uint32_t>(i), 30)}};
  for (std::uint64_t i = 15; i >= 4; i--) backward[i] = forward[i];
  Epoch next = next_epoch(epoch, forward);
  Epoch same = next_epoch(epoch, backward);
  EXPECT_EQ(std::tie(next.points, next.longest, next.end), std::tie(same.points, same.longest, same.end));
  EXPECT_EQ(next.first, 16u);
  EXPECT_EQ(next.end, 32u);
  EXPECT_EQ(next.longest, 15u);
  EXPECT_TRUE(std::is_sorted(next.points.begin(), next.points.end()));
  EXPECT_EQ(next.points.front(), 5u);
  EXPECT_EQ(next.points.back(), 30u);
}

TEST(Epochs, PlacesWithAHookBecomePointsWhetherInATableOrNot) {
  HeddleRace freed = race(HEDDLE_SITE_PC | 9, 4);
  freed.first_kind = HEDDLE_EV_FREE;  // a call of free(): no hook
  Epoch next = next_epoch({}, {{0, {5, {race(HEDDLE_SITE_PC | 7, 3), freed, race(0, 4)}}}});
  EXPECT_EQ(next.points, (std::vector<std::uint32_t>{3, 4, HEDDLE_SITE_PC | 7}));
}

TEST(Epochs, ARaceIsOrderedWhereBothSidesArePoints) {
  HeddleRace plain = race(3, 4), freed = race(3, 4), one = race(3, 5);
  plain.first_kind = plain.second_kind = freed.first_kind = one.first_kind = one.second_kind = HEDDLE_EV_WRITE;
  freed.second_kind = HEDDLE_EV_FREE;
  const Epoch epoch{0, 1, {3, 4}, 0};
  EXPECT_TRUE(at_points(plain, epoch, HEDDLE_POINTS_RACY));
  EXPECT_FALSE(at_points(plain, epoch, HEDDLE_POINTS_SYNC));
  EXPECT_FALSE(at_points(freed, epoch, HEDDLE_POINTS_RACY));
  EXPECT_FALSE(at_points(one, epoch, HEDDLE_POINTS_RACY));
  EXPECT_TRUE(at_points(one, epoch, HEDDLE_POINTS_ALL));
}

TEST(Epochs, DetectorWatchesEarlyRunsAndEveryEighth) {
  const Epoch usual;
  EXPECT_TRUE(detector_on(DetectorUse::kAuto, usual, 63));
  EXPECT_FALSE(detector_on(DetectorUse::kAuto, usual, 65));
  EXPECT_TRUE(detector_on(DetectorUse::kAuto, usual, 72));
  EXPECT_FALSE(detector_on(DetectorUse::kOff, usual, 0));
  EXPECT_TRUE(detector_on(DetectorUse::kOn, usual, 65));
}

TEST(Epochs, DetectorWatchesFewerOfLongRuns) {
  Epoch epoch;
  epoch.accesses = 5'000'000;
  EXPECT_TRUE(detector_on(DetectorUse::kAuto, epoch, 9));
  EXPECT_FALSE(detector_on(DetectorUse::kAuto, epoch, 10));
  EXPECT_FALSE(detector_on(DetectorUse::kAuto, epoch, 72));
  EXPECT_TRUE(detector_on(DetectorUse::kAuto, epoch, 128));
}

TEST(Epochs, TheLivelockBoundIsGenerous) {
  Epoch epoch;
  EXPECT_EQ(step_limit(epoch), 20'000'000u);
  epoch.longest = 100;
  EXPECT_EQ(step_limit(epoch), 2'000'000u);
  epoch.longest = 10'000'000;
  EXPECT_EQ(step_limit(epoch), 1'000'000'000u);
}

}  // namespace
}  // namespace heddle
