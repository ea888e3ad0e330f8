#include "src/hunt/enumeration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "src/hunt/toy_test.h"

namespace heddle {
namespace {

// All schedules that an enumeration executes of a program of straight threads.
std::vector<std::vector<int>> executed(Enumeration& enumeration, const Toy& toy, std::size_t at_once) {
  std::vector<std::vector<int>> out;
  for (;;) {
    std::vector<Prefix> prefixes = enumeration.take(at_once);
    if (prefixes.empty()) return out;
    for (std::size_t i = 0; i < prefixes.size(); i++) {
      std::vector<HeddleDecision> decisions = toy.run(prefixes[i]);
      enumeration.learn(i, decisions);
      out.push_back(threads_of(decisions));
    }
  }
}

TEST(Enumeration, DepthFirstExecutesEachScheduleOnce) {
  // 3 and 2 steps: 5 over 2 = 10 orders.
  Toy toy{{{{1}, {1}, {1}}, {{1}, {1}}}};
  for (std::size_t at_once : {1u, 7u}) {
    Enumeration enumeration(Enumeration::Order::kDepthFirst, 1);
    auto all = executed(enumeration, toy, at_once);
    EXPECT_EQ(all.size(), 10u);
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), 10u);
    EXPECT_TRUE(enumeration.complete() && enumeration.exact());
  }
}

TEST(Enumeration, ByPreemptionsFewerComeFirstAndNoneIsMissing) {
  Toy toy{{{{1}, {1}, {1}}, {{1}, {1}}}};
  Enumeration enumeration(Enumeration::Order::kByPreemptions, 5);
  auto all = executed(enumeration, toy, 3);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 10u);
  EXPECT_EQ(all.size(), 10u);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, [&](const auto& threads) { return toy.preemptions(threads); }));
}

TEST(Enumeration, ABoundEndsIt) {
  // No preemption: which thread is first. One: thread 0 is left after 1 or 2 steps (and comes last), thread 1 after 1.
  Toy toy{{{{1}, {1}, {1}}, {{1}, {1}}}};
  for (auto [bound, expected] : {std::pair(0u, 2u), std::pair(1u, 5u)}) {
    Enumeration enumeration(Enumeration::Order::kByPreemptions, 5, bound);
    auto all = executed(enumeration, toy, 64);
    EXPECT_EQ(all.size(), expected);
    EXPECT_EQ(enumeration.finished_bound(), bound);
  }
}

TEST(Enumeration, ARunThatLeavesItsScheduleIsTrouble) {
  Toy toy{{{{1}, {1}}, {{1}}}};
  Enumeration enumeration(Enumeration::Order::kDepthFirst, 1);
  (void)enumeration.take(1);
  enumeration.learn(0, toy.run({}));
  (void)enumeration.take(1);
  enumeration.learn(0, toy.run({}));
  EXPECT_FALSE(enumeration.exact());
}

}  // namespace
}  // namespace heddle
