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
  for (const HeddleThreadEvents& thread : targets->groups[0].threads) events[thread.name] = thread.events;
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
      auto once = aim_of({strategy, time}, *targets, 7).targets, again = aim_of({strategy, time}, *targets, 7).targets;
      EXPECT_TRUE(!once.empty() || strategy != Strategy::kSurw);
      EXPECT_EQ(once.sites, again.sites);
      ASSERT_EQ(once.race.has_value(), again.race.has_value());
      if (once.race) {
        EXPECT_EQ(once.race->first_site, again.race->first_site);
      }
      ASSERT_EQ(once.reads_from.size(), again.reads_from.size());
      for (std::size_t i = 0; i < once.reads_from.size(); i++)
        EXPECT_EQ(once.reads_from[i].write_site, again.reads_from[i].write_site);
    }
  EXPECT_TRUE(aim_of({Strategy::kPos, 1}, *targets, 7).targets.empty());
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
        auto sites = aim_of({Strategy::kSurw, time}, *targets, seed).targets.sites;
        aims.emplace(sites.size(), sites[0]);
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
      count += aim_of({Strategy::kRaceDirected, time}, *targets, 7).targets.empty();
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
    const Aim aim = aim_of({Strategy::kFollowUp, time}, *targets, 7);
    ASSERT_TRUE(aim.targets.race);
    EXPECT_EQ(aim.targets.race->first_site, 10u);
    EXPECT_EQ(aim.targets.race->second_site, 11u);
    EXPECT_EQ(aim.targets.race->first_is_new, 1u) << "the run had no point at 10";
    EXPECT_EQ(aim.targets.race->second_is_new, 0u) << "... and one at 11";
    std::uint64_t steps = 0;
    for (const HeddleSegment& segment : aim.schedule) steps += segment.steps;
    if (aim.schedule.size() > 1) {
      EXPECT_EQ(aim.schedule[1].thread, 1u);
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
