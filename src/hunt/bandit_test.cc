#include "src/hunt/bandit.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr std::array<bool, 3> kEvery = {true, true, true};
constexpr int kDraws = 3000;

std::array<int, 3> draws(const Bandit<3>& bandit, const std::array<bool, 3>& usable = kEvery) {
  std::array<int, 3> out{};
  Dice dice{7};
  for (int i = 0; i < kDraws; i++) out[bandit.draw(dice, usable)]++;
  return out;
}

TEST(Bandit, WhoShowsNewThingsIsDrawnMoreOftenThanWhoStopped) {
  Bandit<3> bandit({1, 1, 1}, 1);
  for (int i = 0; i < 20; i++)
    for (std::size_t arm = 0; arm < 3; arm++) bandit.learn(arm, arm == 1);
  EXPECT_GT(draws(bandit)[1], kDraws * 9 / 10);
}

TEST(Bandit, BeforeAnythingIsLearnedTheAptitudesDecideAndNobodyIsLeftOut) {
  auto counts = draws(Bandit<3>({1, 0.97, 0.94}, 1));
  EXPECT_GT(counts[0], counts[1]);
  EXPECT_GT(counts[1], counts[2]);
  EXPECT_GT(counts[2], 0);
}

TEST(Bandit, WhatWasLearnedLongAgoIsForgotten) {
  Bandit<3> bandit({1, 1, 1}, 1);
  for (int i = 0; i < 100; i++) bandit.learn(0, 0);
  EXPECT_LT(draws(bandit)[0], kDraws / 100);
  for (int epoch = 0; epoch < 12; epoch++) bandit.forget();
  EXPECT_NEAR(draws(bandit)[0], kDraws / 3, kDraws / 10);
}

TEST(Bandit, WhatIsDealtOutIsDealtByAptitudeAlone) {
  Bandit<3> bandit({4, 2, 1}, 1);
  for (int i = 0; i < 100; i++) bandit.learn(0, 0);
  std::array<int, 3> counts{};
  for (int i = 0; i < 70; i++) counts[bandit.deal(kEvery)]++;
  EXPECT_EQ(counts, (std::array<int, 3>{40, 20, 10}));
}

TEST(Bandit, WhoseRunsDoNotFailIsLessAptThanItWasElsewhere) {
  Bandit<3> bandit({0.2, 0.1, 0.05}, 2);
  for (std::size_t arm = 0; arm < 3; arm++) bandit.give(arm, 1000);
  std::array<int, 3> counts{};
  for (int i = 0; i < 300; i++) counts[bandit.deal(kEvery)]++;
  for (int count : counts) EXPECT_NEAR(count, 100, 3);  // 2 / (2 / aptitude + 1000): nearly equal
  bandit.give(0, 9000);
  counts = {};
  for (int i = 0; i < 300; i++) counts[bandit.deal(kEvery)]++;
  EXPECT_LT(counts[0], 20);
}

TEST(Bandit, WhoCannotBeUsedGetsNothing) {
  Bandit<3> bandit({4, 2, 1}, 1);
  EXPECT_EQ(draws(bandit, {false, true, true})[0], 0);
  for (int i = 0; i < 70; i++) EXPECT_NE(bandit.deal({false, true, true}), 0u);
}

}  // namespace
}  // namespace heddle
