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

TEST(Knowledge, AFollowUpIsTheScheduleUpToSomewhereBeforeTheRace) {
  Knowledge knowledge;
  knowledge.learn_race_run({{10, 11}, 7, {{0, 3}, {1, 2}, {0, 9}}, {11, 30}});
  auto targets = knowledge.targets();
  std::set<std::uint64_t> lengths;
  for (std::uint64_t time = 0; time < 200; time++) {
    auto words = told({Strategy::kFollowUp, time}, *targets, 7);
    ASSERT_GE(words.size(), 2u);
    EXPECT_EQ(words[0].thread, 10u);
    EXPECT_EQ(words[0].steps, 11u);
    EXPECT_EQ(words[1].thread, 1u) << "the run had no point at 10, and one at 11";
    std::uint64_t steps = 0;
    for (std::size_t i = 2; i < words.size(); i++) steps += words[i].steps;
    if (words.size() > 3) {
      EXPECT_EQ(words[3].thread, 1u);
    }
    lengths.insert(steps);
  }
  EXPECT_EQ(*lengths.rbegin(), 6u) << "not the step that showed the race";
  EXPECT_TRUE(lengths.contains(0));
  EXPECT_GE(lengths.size(), 5u);
}

TEST(Knowledge, TheLatestRunsWithANewRaceAreFollowed) {
  Knowledge knowledge;
  for (std::uint32_t i = 1; i <= 20; i++) knowledge.learn_race_run({{i, i + 100}, 5, {{0, 9}}, {}});
  auto targets = knowledge.targets();
  ASSERT_EQ(targets->race_runs.size(), 16u);
  std::set<std::uint32_t> sites;
  for (std::uint64_t time = 0; time < 16; time++)
    sites.insert(followed({Strategy::kFollowUp, time}, *targets, 3).sites.first);
  EXPECT_EQ(sites.size(), 16u);
  EXPECT_EQ(*sites.begin(), 5u);
}

}  // namespace
}  // namespace heddle
