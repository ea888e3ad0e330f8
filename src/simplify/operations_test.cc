#include "src/simplify/operations.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr std::uint32_t A = 0, B = 1, C = 2;

// A1 B1 A2 B2 A3: two actions in each turn.
const Turns kTurns{{A, 2}, {B, 2}, {A, 4}, {B, 4}, {A, 6}};

TEST(Operations, ATurnThatIsTakenOutIsMadeUpForByTheNextOfItsThread) {
  EXPECT_EQ(without(kTurns, 1), (Turns{{A, 4}, {B, 4}, {A, 6}}));
  EXPECT_EQ(without(kTurns, 0), (Turns{{B, 2}, {A, 4}, {B, 4}, {A, 6}}));
}

TEST(Operations, TheLastTurnOfAThreadIsJustRemoved) {
  EXPECT_EQ(without(kTurns, 4), (Turns{{A, 2}, {B, 2}, {A, 4}, {B, 4}}));
  EXPECT_EQ(without(kTurns, 3), (Turns{{A, 2}, {B, 2}, {A, 6}}));
}

TEST(Operations, PulledTurnsMergeAndSoDoTheirNeighbours) {
  EXPECT_EQ(pulled(kTurns, 0), (Turns{{A, 4}, {B, 4}, {A, 6}}));
  EXPECT_EQ(pulled(kTurns, 2), (Turns{{A, 2}, {B, 2}, {A, 6}, {B, 4}}));
}

TEST(Operations, AStretchedTurnLeavesTheRestToTheNext) {
  EXPECT_EQ(stretched(kTurns, 0, 3), (Turns{{A, 3}, {B, 2}, {A, 4}, {B, 4}, {A, 6}}));
  EXPECT_EQ(stretched(kTurns, 3, kAsLongAsItCan).back(), (Turn{A, 6}));
}

TEST(Operations, GatheredTurnsKeepTheOrderInWhichThreadsCame) {
  const Turns all = gathered(kTurns, 0, 4);
  EXPECT_EQ(all, (Turns{{A, 4}, {B, 4, false, true}, {A, 6}}));
  const Turns tail = gathered({{C, 1}, {B, 1}, {A, 1}, {B, 2}, {C, 2}}, 1, 5);
  EXPECT_EQ(tail, (Turns{{C, 1}, {B, 2}, {A, 1, false, true}, {C, 2, false, true}}));
}

TEST(Operations, ThereIsNothingToGatherWhereEachThreadComesOnce) {
  EXPECT_FALSE(can_gather(kTurns, 0, 2));
  EXPECT_TRUE(can_gather(kTurns, 0, 3));
  EXPECT_FALSE(can_gather(kTurns, 3, 5));
}

TEST(Operations, NoOperationAddsATurn) {
  for (std::size_t i = 0; i < kTurns.size(); i++) {
    EXPECT_LT(without(kTurns, i).size(), kTurns.size());
    if (next_turn(kTurns, i)) {
      EXPECT_LT(pulled(kTurns, i).size(), kTurns.size());
    }
    EXPECT_LE(stretched(kTurns, i, kTurns[i].end + 1).size(), kTurns.size());
    for (std::size_t k = i; k <= kTurns.size(); k++) {
      EXPECT_LE(gathered(kTurns, i, k).size(), kTurns.size());
    }
  }
}

TEST(Executions, AVariantHasSomeOfTheActionsInTheOrderOfTheirThreads) {
  const auto execution = [](std::vector<HeddleGuidedStep> steps) {
    HeddleThreadInfo main{}, child{};
    child.ordinal = 1;
    return execution_of(steps, std::vector{main, child}, HeddleResult{});
  };
  const HeddleGuidedStep a1{0, 1, 0, 10}, a2{0, 1, 0, 11}, b1{1, 1, 0, 20}, b2{1, 1, 0, 21};
  const Execution original = execution({a1, b1, a2, b2});
  EXPECT_TRUE(is_variant(original, original));
  EXPECT_TRUE(is_variant(execution({b1, b2, a1}), original));
  EXPECT_FALSE(is_variant(execution({a1, a2, a2}), original)) << "an action that is not there";
  EXPECT_FALSE(is_variant(execution({b2, a1}), original)) << "b2 without b1";
  ASSERT_EQ(original.turns.size(), 4u);
  EXPECT_EQ(original.turns[3].end, 2u);
  EXPECT_EQ(original.threads[1].name, "0.1");
}

TEST(Executions, ThePreemptionThatTheRuntimeCouldNotMarkIsTheLast) {
  HeddleThreadInfo main{}, child{};
  child.ordinal = 1;
  HeddleResult result{};
  result.switches = result.preemptions = 2;
  const std::vector<HeddleGuidedStep> steps{{0, 1, 0, 1}, {1, 1, HEDDLE_GUIDED_BY_PREEMPTION, 1}, {0, 1, 0, 2}};
  const Execution execution = execution_of(steps, std::vector{main, child}, result);
  EXPECT_TRUE(execution.turns[0].preempted);
  EXPECT_TRUE(execution.turns[1].preempted);
}

}  // namespace
}  // namespace heddle
