#include "src/hunt/portfolio.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace heddle {
namespace {

constexpr std::uint64_t kLate = 1024, kSteps = 5000;

Targets with_races() {
  Targets targets;
  targets.races = {{1, 2}};
  return targets;
}

/// No race, and threads that wait for each other.
Targets with_waits() {
  Targets targets;
  targets.waits = true;
  targets.threads = 4;
  return targets;
}

std::map<Strategy, std::uint64_t> count(const Mix& mix, std::uint64_t seed, std::uint64_t first, std::uint64_t end) {
  std::map<Strategy, std::uint64_t> out;
  for (std::uint64_t index = first; index < end; index++) out[arm_of(mix, seed, first, index)]++;
  return out;
}

TEST(Portfolio, InAFewRunsInARowEachStrategyHasItsShare) {
  const Mix mix{{}, {100, 200, 200, 150, 150, 100, 100}};
  for (std::uint64_t seed : {1u, 2u, 77u})
    for (std::uint64_t first : {4u, 64u, 1000u}) {
      auto counts = count(mix, seed, first, first + 100);
      for (std::size_t i = 0; i < kArms.size(); i++)
        EXPECT_NEAR(static_cast<double>(counts[kArms[i]]), mix.shares[i] / 10.0, 3) << i;
    }
}

TEST(Portfolio, WhatShowsNewThingsGetsMoreAndNobodyNothing) {
  Portfolio portfolio;
  const Shares before = portfolio.next(with_races(), kLate, kSteps).shares;
  for (int run = 0; run < 100; run++)
    for (Strategy arm : kArms) portfolio.learn(arm, {false, false, arm == Strategy::kPos && run % 2 == 0});
  const Shares after = portfolio.next(with_races(), kLate, kSteps).shares;
  for (std::size_t i = 0; i < kArms.size(); i++) {
    if (kArms[i] == Strategy::kPos)
      EXPECT_GT(after[i], before[i]);
    else
      EXPECT_LT(after[i], before[i]);
    EXPECT_GE(after[i], 5u);
  }
}

TEST(Portfolio, WithoutRacesOrLocksNobodyIsSentToThem) {
  EXPECT_FALSE(count(Portfolio().next({}, kLate, kSteps), 1, kLate, kLate + 1000).contains(Strategy::kRaceDirected));
  EXPECT_TRUE(
      count(Portfolio().next(with_races(), kLate, kSteps), 1, kLate, kLate + 1000).contains(Strategy::kRaceDirected));
}

TEST(Portfolio, RacesAreAimedAtMoreThanAnythingElse) {
  auto counts = count(Portfolio().next(with_races(), 16, kSteps), 1, 16, 64);
  for (auto [strategy, runs] : counts)
    if (strategy != Strategy::kRaceDirected) EXPECT_LT(runs, counts[Strategy::kRaceDirected]);
}

TEST(Portfolio, ASmallProgramWhoseThreadsWaitIsListedWhileTheHuntIsYoung) {
  constexpr std::uint64_t small = 100;
  EXPECT_GT(count(Portfolio().next(with_waits(), 16, small), 1, 16, 64)[Strategy::kIcb], 24u);
  EXPECT_LT(count(Portfolio().next(with_waits(), 16, kSteps), 1, 16, 64)[Strategy::kIcb], 4u);  // too large
  EXPECT_LT(count(Portfolio().next(with_waits(), kLate, small), 1, kLate, kLate + 100)[Strategy::kIcb], 5u);
}

TEST(Portfolio, ListsAreForGoodAPartOfEveryHunt) {
  for (const Targets& targets : {Targets{}, with_races(), with_waits()})
    EXPECT_GE(count(Portfolio().next(targets, kLate, kSteps), 1, kLate, kLate + 1000)[Strategy::kIcb], 4u);
}

TEST(Portfolio, OpeningsAreShorterThanTheirEpochs) {
  for (const Targets& targets : {Targets{}, with_races(), with_waits()})
    for (std::uint64_t longest : {std::uint64_t{10}, kSteps}) {
      EXPECT_EQ(Portfolio().next(targets, 1, longest).opening.size(), 3u);
      EXPECT_LE(Portfolio().next(targets, 4, longest).opening.size(), 12u);
      EXPECT_TRUE(Portfolio().next(targets, 16, longest).opening.empty());
    }
}

TEST(Portfolio, WhatWasLearnedLongAgoFades) {
  Portfolio portfolio;
  for (int run = 0; run < 100; run++)
    for (Strategy arm : kArms) portfolio.learn(arm, {false, false, arm == Strategy::kPct});
  const Shares once = portfolio.next(with_races(), kLate, kSteps).shares;
  Shares later{};
  for (int epoch = 0; epoch < 12; epoch++) later = portfolio.next(with_races(), kLate, kSteps).shares;
  const auto pct = static_cast<std::size_t>(std::ranges::find(kArms, Strategy::kPct) - kArms.begin());
  EXPECT_LT(later[pct], once[pct]);
}

}  // namespace
}  // namespace heddle
