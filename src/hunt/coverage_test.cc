#include "src/hunt/coverage.h"

#include <gtest/gtest.h>

#include <cmath>

#include "src/hunt/toy_test.h"

namespace heddle {
namespace {

Observation observed(const Toy& toy, const Prefix& prefix) {
  Observer observer;
  observer.on_decisions(toy.run(prefix));
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

HeddleDecision access(std::uint32_t thread, std::uint64_t address, std::uint32_t size, std::uint32_t kind) {
  HeddleDecision event{};
  event.thread = static_cast<std::uint16_t>(thread);
  event.name = event.site = thread + 1;
  event.address = address;
  event.size = size;
  event.kind = static_cast<std::uint8_t>(kind);
  return event;
}

TEST(Coverage, AccessesThatShareAByteHaveAnOrder) {
  auto order = [](std::initializer_list<HeddleDecision> events) {
    Observer observer;
    observer.on_decisions(std::vector<HeddleDecision>(events));
    return observer.finish().order;
  };
  const HeddleDecision all = access(0, 64, 64, HEDDLE_EV_WRITE_RANGE), one = access(1, 104, 1, kWrite),
                    odd = access(2, 102, 4, kRead), other = access(3, 108, 4, kWrite), seen = access(4, 70, 90, kRead);
  EXPECT_NE(order({all, one}), order({one, all}));
  EXPECT_NE(order({odd, one}), order({one, odd}));
  EXPECT_EQ(order({other, one, odd}), order({one, odd, other}));  // how memory was divided does not matter
  EXPECT_EQ(order({all, odd, seen, one}), order({all, seen, odd, one}));
  EXPECT_NE(order({all, seen, one}), order({all, one, seen}));
}

TEST(Coverage, TheOrderOfSystemCallsIsPartOfAClass) {
  auto order = [](std::initializer_list<HeddleDecision> events) {
    Observer observer;
    observer.on_decisions(std::vector<HeddleDecision>(events));
    Observation seen = observer.finish();
    EXPECT_TRUE(seen.uses.empty() && seen.reads_from.empty());  // what they are about is not known
    return seen.order;
  };
  const HeddleDecision read = access(0, 0, 0, HEDDLE_EV_IO_CALL), write = access(1, 0, 0, HEDDLE_EV_IO_CALL),
                    leave = access(2, 0, 0, HEDDLE_EV_IO_LEAVE), yield = access(3, 0, 0, HEDDLE_EV_YIELD);
  EXPECT_NE(order({read, write}), order({write, read}));
  EXPECT_NE(order({read, leave}), order({leave, read}));
  EXPECT_EQ(order({read, yield}), order({yield, read}));
}

TEST(Coverage, OfAnEnumerationNothingIsEstimated) {
  CoverageSummary s;
  s.runs = 100, s.classes = 1;
  EXPECT_NE(describe(s).find("more runs"), std::string::npos);
  s.waiting = 0;
  EXPECT_EQ(describe(s).find("wait"), std::string::npos);
  s.waiting = 3;
  EXPECT_EQ(describe(s).find("more runs"), std::string::npos);
  EXPECT_NE(describe(s).find("3 schedules wait to be executed"), std::string::npos);
}

TEST(Coverage, OfAFewRunsNothingIsEstimated) {
  CoverageSummary s;
  s.runs = 99, s.classes = 1;
  EXPECT_TRUE(describe(s).ends_with("each seen more than once: too few runs to tell what others would show"))
      << describe(s);
  s.runs = 19, s.classes = 19, s.once = 19;
  EXPECT_TRUE(describe(s).ends_with("19 of them seen once: too few runs to tell what others would show"))
      << describe(s);
  s.runs = 20, s.classes = 20, s.once = 20;
  EXPECT_TRUE(describe(s).ends_with("most schedules of this program are unseen")) << describe(s);
}

TEST(Coverage, ASampleIsCalledOne) {
  CoverageSummary s;
  s.runs = s.of_runs = 9, s.classes = 1;
  EXPECT_EQ(describe(s).find("sample"), std::string::npos);
  s.of_runs = 100;
  EXPECT_TRUE(describe(s).starts_with("in a sample of 9 of 100 runs: ")) << describe(s);
  s.waiting = 3;
  EXPECT_TRUE(describe(s).starts_with("in a sample of 9 of 100 runs: ")) << describe(s);
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
  EXPECT_FALSE(std::signbit(CoverageSummary{}.unseen_at_least()));  // "-0.0" to whoever reads it
}

}  // namespace
}  // namespace heddle
