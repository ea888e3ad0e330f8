#include "src/hunt/portfolio.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace heddle {
namespace {

Targets with_races() {
  Targets targets;
  targets.races = {{1, 2}};
  return targets;
}

std::map<Strategy, std::uint64_t> count(const Shares& shares, std::uint64_t seed, std::uint64_t first,
                                        std::uint64_t end) {
  std::map<Strategy, std::uint64_t> out;
  for (std::uint64_t index = first; index < end; index++) out[arm_of(shares, seed, index)]++;
  return out;
}

TEST(Portfolio, InAFewRunsInARowEachStrategyHasItsShare) {
  const Shares shares{100, 200, 300, 150, 150, 100};
  for (std::uint64_t seed : {1u, 2u, 77u})
    for (std::uint64_t first : {4u, 64u, 1000u}) {
      auto counts = count(shares, seed, first, first + 100);
      for (std::size_t i = 0; i < kArms.size(); i++)
        EXPECT_NEAR(static_cast<double>(counts[kArms[i]]), shares[i] / 10.0, 3) << i;
    }
}

TEST(Portfolio, WhatShowsNewThingsGetsMoreAndNobodyNothing) {
  Portfolio portfolio;
  const Shares before = portfolio.next(with_races());
  for (int run = 0; run < 100; run++)
    for (Strategy arm : kArms) portfolio.learn(arm, {false, false, arm == Strategy::kPos && run % 2 == 0});
  const Shares after = portfolio.next(with_races());
  for (std::size_t i = 0; i < kArms.size(); i++) {
    if (kArms[i] == Strategy::kPos)
      EXPECT_GT(after[i], before[i]);
    else
      EXPECT_LT(after[i], before[i]);
    EXPECT_GE(after[i], 30u);
  }
}

TEST(Portfolio, WithoutRacesOrLocksNobodyIsSentToThem) {
  const Shares shares = Portfolio().next(Targets{});
  EXPECT_FALSE(count(shares, 1, 4, 1000).contains(Strategy::kRaceDirected));
  EXPECT_TRUE(count(Portfolio().next(with_races()), 1, 4, 1000).contains(Strategy::kRaceDirected));
}

TEST(Portfolio, WhatWasLearnedLongAgoFades) {
  Portfolio portfolio;
  for (int run = 0; run < 100; run++)
    for (Strategy arm : kArms) portfolio.learn(arm, {false, false, arm == Strategy::kPct});
  const Shares once = portfolio.next(with_races());
  Shares later{};
  for (int epoch = 0; epoch < 12; epoch++) later = portfolio.next(with_races());
  const auto pct = static_cast<std::size_t>(std::ranges::find(kArms, Strategy::kPct) - kArms.begin());
  EXPECT_LT(later[pct], once[pct]);
}

}  // namespace
}  // namespace heddle
