#include "src/engine/areas.h"

#include <gtest/gtest.h>

#include "src/engine/execute.h"

namespace heddle {
namespace {

template <class T>
const T* area(const Region& region, HeddleAreaId id) {
  return region.live<T>(id).data();
}

TEST(Areas, TargetsAreReadAsTheyWereWritten) {
  Region region = Region::create().value();
  const RunTargets targets{{7, 8, 9}, {{1, 20}, {2, 30}}, HeddleRaceTarget{5, 6, 0, 1}, {{11, 12, 0}, {13, 14, 1}}};
  ASSERT_TRUE(write_targets(region, targets));
  const auto* head = area<HeddleTargets>(region, HEDDLE_AREA_TARGETS);
  ASSERT_EQ(head->sites, 3u);
  ASSERT_EQ(head->threads, 2u);
  ASSERT_EQ(head->races, 1u);
  ASSERT_EQ(head->reads_from, 2u);
  EXPECT_EQ(heddle_target_sites(head)[2], 9u);
  EXPECT_EQ(heddle_target_threads(head)[1].events, 30u);
  EXPECT_EQ(heddle_target_races(head)->second_is_new, 1u);
  EXPECT_EQ(heddle_target_reads_from(head)[1].read_site, 14u);
}

TEST(Areas, AGuideIsReadAsItWasWritten) {
  Region region = Region::create().value();
  ASSERT_TRUE(write_guide(region, {{{0, 0, 0, 2}, {0, 1, 2, 1}}, {{1, 1, 0}, {0, 2, 1}}, {100, 101, 102}, true}));
  const auto* guide = area<HeddleGuide>(region, HEDDLE_AREA_GUIDE);
  ASSERT_EQ(guide->paths, 2u);
  ASSERT_EQ(guide->turns, 2u);
  ASSERT_EQ(guide->actions, 3u);
  EXPECT_EQ(guide->anywhere, 1u);
  EXPECT_EQ(heddle_guide_paths(guide)[1].first, 2u);
  EXPECT_EQ(heddle_guide_turns(guide)[1].end, 2u);
  EXPECT_EQ(heddle_guide_actions(guide)[heddle_guide_paths(guide)[1].first], 102u);
}

TEST(Areas, ARequestLeavesNothingOfTheOneBefore) {
  Region region = Region::create().value();
  RunRequest aims;
  aims.targets.sites = {1, 2};
  aims.guide.turns = {{0, 1, 0}};
  ASSERT_TRUE(write_request(region, aims));
  ASSERT_TRUE(write_request(region, RunRequest{}));
  EXPECT_EQ(area<HeddleTargets>(region, HEDDLE_AREA_TARGETS)->sites, 0u);
  EXPECT_EQ(area<HeddleGuide>(region, HEDDLE_AREA_GUIDE)->turns, 0u);
}

TEST(Areas, WhatDoesNotFitIsRefused) {
  Region region = Region::create().value();
  RunTargets targets;
  targets.sites.resize(region.capacity<std::uint32_t>(HEDDLE_AREA_TARGETS));
  EXPECT_FALSE(write_targets(region, targets));
  targets.sites.resize(targets.sites.size() - sizeof(HeddleTargets) / sizeof(std::uint32_t));
  EXPECT_TRUE(write_targets(region, targets));
}

}  // namespace
}  // namespace heddle
