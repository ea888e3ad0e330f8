#include "src/hunt/timeouts.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

int early_runs(const TimeoutPlan& plan) {
  int early = 0;
  for (std::uint64_t i = 0; i < 1600; i++) early += plan.chance(7, i) > 0;
  return early;
}

TEST(TimeoutShare, ProgramsWithoutTimedWaitsHaveNoEarlyTimeouts) {
  TimeoutShare share;
  share.learn(0, false, true, true);
  EXPECT_EQ(early_runs(share.next()), 0);
}

TEST(TimeoutShare, TheFirstRunNeverHasOne) {
  EXPECT_EQ((TimeoutPlan{3, 16}.chance(1, 0)), 0u);
  EXPECT_EQ((TimeoutPlan{3, 16}.chance(1, 1)), 256u);
}

TEST(TimeoutShare, ItGrowsWhereEarlyRunsShowMoreAndShrinksWhereTheyShowLess) {
  TimeoutShare useful, useless;
  for (int i = 0; i < 40; i++) {
    useful.learn(2, i % 2, true, i % 2);
    useless.learn(2, i % 2, true, !(i % 2));
  }
  EXPECT_GT(useful.next().share, TimeoutShare().next().share + 8);
  EXPECT_EQ(useless.next().share, 2u);
  EXPECT_GT(early_runs(useless.next()), 100);  // never given up
}

TEST(TimeoutShare, WhatIsNotObservedDoesNotCount) {
  TimeoutShare share;
  for (int i = 0; i < 40; i++) share.learn(9, i % 2, false, true);
  EXPECT_EQ(share.next().share, 4u);
  EXPECT_EQ(share.next().waits, 9u);
}

}  // namespace
}  // namespace heddle
