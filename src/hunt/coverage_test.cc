#include "src/hunt/coverage.h"

#include <gtest/gtest.h>

#include "src/hunt/toy_test.h"

namespace heddle {
namespace {

Observation observed(const Toy& toy, const Prefix& prefix) {
  Observer observer;
  observer.on_events(toy.run(prefix));
  return observer.finish();
}

constexpr std::uint32_t kRead = HEDDLE_EV_READ, kWrite = HEDDLE_EV_WRITE;

TEST(Coverage, OrdersOfIndependentStepsAreOneClass) {
  Toy toy{{{{1}, {2}}, {{3}, {4}}}};
  EXPECT_EQ(observed(toy, {{0, 2}}).order, observed(toy, {{1, 1}, {0, 1}, {1, 1}}).order);
  Toy common{{{{1}, {2}}, {{3}, {2}}}};
  EXPECT_EQ(observed(common, {{0, 2}}).order, observed(common, {{1, 1}, {0, 2}}).order);
  EXPECT_NE(observed(common, {{0, 2}}).order, observed(common, {{1, 2}}).order);
}

TEST(Coverage, TwoReadsInEitherOrderAreOneClass) {
  Toy toy{{{{1, kRead}}, {{1, kRead}}, {{1, kWrite}}}};
  EXPECT_EQ(observed(toy, {{0, 1}, {1, 1}}).order, observed(toy, {{1, 1}, {0, 1}}).order);
  EXPECT_NE(observed(toy, {{0, 1}, {1, 1}}).order, observed(toy, {{0, 1}, {2, 1}}).order);
}

TEST(Coverage, AReadReadsFromTheLastWrite) {
  Toy toy{{{{1, kWrite}, {1, kWrite}}, {{1, kRead}}}};  // sites 1, 2 and 101
  EXPECT_EQ(observed(toy, {{0, 1}, {1, 1}}).reads_from, (std::vector<SitePair>{{1, 101}}));
  EXPECT_EQ(observed(toy, {{0, 2}, {1, 1}}).reads_from, (std::vector<SitePair>{{2, 101}}));
  EXPECT_TRUE(observed(toy, {{1, 1}}).reads_from.empty());
}

TEST(Coverage, WhatWasSeenOnceSaysHowMuchIsUnseen) {
  Coverage coverage;
  auto see = [&](std::uint64_t order) {
    Observation seen;
    seen.order = order;
    coverage.add(seen);
  };
  for (std::uint64_t order : {1, 1, 1, 2, 2, 3, 3, 4, 5, 6}) see(order);
  const CoverageSummary& s = coverage.summary();
  EXPECT_EQ(s.classes, 6u);
  EXPECT_EQ(s.once, 3u);
  EXPECT_EQ(s.twice, 2u);
  EXPECT_DOUBLE_EQ(s.new_share(), 0.3);
  EXPECT_DOUBLE_EQ(s.unseen_at_least(), 9.0 / 4);
}

}  // namespace
}  // namespace heddle
