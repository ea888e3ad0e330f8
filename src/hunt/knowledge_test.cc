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

TEST(Knowledge, WhatARunIsToldDependsOnSeedAndTimeOnly) {
  Knowledge knowledge;
  knowledge.learn(two_threads(), {});
  knowledge.learn_race({10, 11});
  auto targets = knowledge.targets();
  for (Strategy strategy : {Strategy::kSurw, Strategy::kRaceDirected, Strategy::kRff})
    for (std::uint64_t time = 0; time < 20; time++) {
      auto once = told({strategy, time}, *targets, 7), again = told({strategy, time}, *targets, 7);
      ASSERT_EQ(once.size(), again.size());
      EXPECT_TRUE(!once.empty() || strategy != Strategy::kSurw);
      for (std::size_t i = 0; i < once.size(); i++) EXPECT_EQ(once[i].thread, again[i].thread);
    }
  EXPECT_TRUE(told({Strategy::kPos, 1}, *targets, 7).empty());
}

TEST(Knowledge, NoGroupIsAimedAtTwiceBeforeAllOthersWereOnce) {
  Knowledge knowledge;
  knowledge.learn(two_threads(), {});
  auto targets = knowledge.targets();
  ASSERT_EQ(targets->groups.size(), 3u);
  for (std::uint64_t seed = 1; seed < 20; seed++)
    for (std::uint64_t round = 0; round < 5; round++) {
      std::set<std::pair<std::size_t, std::uint32_t>> aims;  // by their number of sites, and the first
      for (std::uint64_t time = 3 * round; time < 3 * round + 3; time++) {
        auto words = told({Strategy::kSurw, time}, *targets, seed);
        aims.emplace(words[0].thread, words[1].thread);
      }
      EXPECT_EQ(aims.size(), 3u);
    }
}

TEST(Knowledge, APartOfTheRacedirectedRunsAimsAtNothing) {
  Knowledge knowledge;
  knowledge.learn(two_threads(), {});
  auto walks = [&] {
    auto targets = knowledge.targets();
    int count = 0;
    for (std::uint64_t time = 0; time < 1000; time++)
      count += told({Strategy::kRaceDirected, time}, *targets, 7).empty();
    return count;
  };
  EXPECT_NEAR(walks(), 250, 60);  // nothing but a lock to aim at
  knowledge.learn_race({10, 11});
  EXPECT_NEAR(walks(), 125, 45);
}

}  // namespace
}  // namespace heddle
