#include "src/hunt/knowledge.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

Observation two_threads() {
  Observation seen;
  seen.uses = {{10, 2, 3, HEDDLE_EV_WRITE},
               {11, 3, 4, HEDDLE_EV_READ},
               {20, 2, 1, HEDDLE_EV_MUTEX_LOCK},
               {20, 3, 1, HEDDLE_EV_MUTEX_LOCK}};
  seen.together = {{10, 10}, {10, 11}, {20, 20}};
  seen.contended = {{20, 20}};
  seen.parents = {{2, 1}, {3, 1}};
  return seen;
}

TEST(Knowledge, SitesOfOnePlaceAreAGroupAndCreatorsCountTheirThreads) {
  Knowledge knowledge;
  knowledge.learn(two_threads(), {});
  auto targets = knowledge.targets();
  ASSERT_EQ(targets->groups.size(), 3u);  // {10, 11}, {20}, all
  EXPECT_EQ(targets->groups[0].sites, (std::vector<std::uint32_t>{10, 11}));
  std::map<std::uint32_t, std::uint32_t> events;
  for (const HeddleSegment& thread : targets->groups[0].threads) events[thread.thread] = thread.steps;
  EXPECT_EQ(events, (std::map<std::uint32_t, std::uint32_t>{{1, 7}, {2, 3}, {3, 4}}));
  EXPECT_EQ(targets->unseen, (std::vector<SitePair>{{10, 11}, {20, 20}}));
}

TEST(Knowledge, WhatARunIsToldDependsOnSeedAndIndexOnly) {
  Knowledge knowledge;
  knowledge.learn(two_threads(), {});
  knowledge.learn_race({10, 11});
  auto targets = knowledge.targets();
  for (Strategy strategy : {Strategy::kSurw, Strategy::kRaceDirected, Strategy::kRff})
    for (std::uint64_t index = 0; index < 20; index++) {
      auto once = told(strategy, *targets, 7, index), again = told(strategy, *targets, 7, index);
      ASSERT_EQ(once.size(), again.size());
      EXPECT_TRUE(!once.empty() || strategy != Strategy::kSurw);
      for (std::size_t i = 0; i < once.size(); i++) EXPECT_EQ(once[i].thread, again[i].thread);
    }
  EXPECT_TRUE(told(Strategy::kPos, *targets, 7, 1).empty());
}

TEST(Knowledge, APartOfTheRacedirectedRunsAimsAtNothing) {
  Knowledge knowledge;
  knowledge.learn(two_threads(), {});
  auto walks = [&] {
    auto targets = knowledge.targets();
    int count = 0;
    for (std::uint64_t index = 0; index < 1000; index++)
      count += told(Strategy::kRaceDirected, *targets, 7, index).empty();
    return count;
  };
  EXPECT_NEAR(walks(), 250, 60);  // nothing but a lock to aim at
  knowledge.learn_race({10, 11});
  EXPECT_NEAR(walks(), 125, 45);
}

}  // namespace
}  // namespace heddle
