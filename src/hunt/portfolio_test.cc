#include "src/hunt/portfolio.h"

#include <gtest/gtest.h>

#include <map>

namespace heddle {
namespace {

constexpr std::uint64_t kLate = 1024;

Targets with_races() {
  Targets targets;
  targets.races = {{1, 2}};
  targets.race_runs = {std::make_shared<const RaceRun>()};
  return targets;
}

std::map<Strategy, std::uint64_t> count(const Mix& mix, std::uint64_t first, std::uint64_t end) {
  std::map<Strategy, std::uint64_t> out;
  for (std::uint64_t index = first; index < end; index++) out[pick_of(mix, first, index).strategy]++;
  return out;
}

TEST(Portfolio, OrdinalsCountTheRunsOfAStrategyOverAllEpochs) {
  Portfolio portfolio;
  std::map<Strategy, std::uint64_t> made{{Strategy::kRandom, 1}};  // the first run
  for (std::uint64_t first = 1; first < 512; first *= 2) {
    const Mix mix = portfolio.next(with_races(), 3, first, 2 * first);
    for (std::uint64_t index = first; index < 2 * first; index++) {
      const Pick pick = pick_of(mix, first, index);
      EXPECT_EQ(pick.ordinal, made[pick.strategy]++) << index;
    }
  }
}

TEST(Portfolio, WhatShowsNewThingsGetsMoreAndNobodyNothing) {
  Portfolio portfolio;
  for (int run = 0; run < 100; run++)
    for (Strategy arm : kArms) portfolio.learn(arm, {arm == Strategy::kPos, false, false}, false);
  auto counts = count(portfolio.next(with_races(), 1, kLate, 2 * kLate), kLate, 2 * kLate);
  EXPECT_GT(counts[Strategy::kPos], kLate / 2);
  counts = {};
  for (std::uint64_t first = 16; first < 2 * kLate; first *= 2)
    for (auto [strategy, runs] : count(portfolio.next(with_races(), 1, first, 2 * first), first, 2 * first))
      counts[strategy] += runs;
  for (Strategy arm : kArms) EXPECT_GT(counts[arm], 0u) << strategy_name(arm);
}

TEST(Portfolio, ANewRaceIsNews) {
  Portfolio portfolio;
  for (int run = 0; run < 100; run++)
    for (Strategy arm : kArms) portfolio.learn(arm, {}, arm == Strategy::kPos);
  EXPECT_GT(count(portfolio.next(with_races(), 1, kLate, 2 * kLate), kLate, 2 * kLate)[Strategy::kPos], kLate / 2);
}

TEST(Portfolio, WithoutRacesOrLocksNobodyIsSentToThem) {
  auto runs = [](const Targets& targets) {
    return count(Portfolio().next(targets, 1, kLate, 2 * kLate), kLate, 2 * kLate)[Strategy::kRaceDirected];
  };
  EXPECT_EQ(runs({}), 0u);
  EXPECT_GT(runs(with_races()), 0u);
}

TEST(Portfolio, EqualSeedEqualRuns) {
  auto pattern = [](std::uint64_t seed) { return Portfolio().next(with_races(), seed, 64, 128).pattern; };
  EXPECT_EQ(pattern(5), pattern(5));
  EXPECT_NE(pattern(5), pattern(6));
}

}  // namespace
}  // namespace heddle
