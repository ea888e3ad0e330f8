#include "src/explain/reversal.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

// Two threads: A1 A2 | B1 B2 | A3, ends are positions on each thread's own path.
const Turns kTurns{{0, 2, true}, {1, 2}, {0, 3}};

TEST(Reversal, TheOtherThreadRunsAloneUntilItsTarget) {
  const Turns guide = reversed(kTurns, {0, 1}, {1, 1}, Meanwhile::kAlone);
  EXPECT_EQ(guide, (Turns{{0, 1}, {1, 1}, {0, 2, true}, {1, 2}, {0, 3}}));
}

TEST(Reversal, WhatWasDoneIsLeftOutBehind) {
  const Turns guide = reversed(kTurns, {0, 1}, {1, 2}, Meanwhile::kAlone);
  EXPECT_EQ(guide, (Turns{{0, 1}, {1, 2}, {0, 3}}));
}

TEST(Reversal, OthersRunAsBeforeMeanwhile) {
  const Turns turns{{0, 2}, {2, 4}, {1, 2}, {0, 3}};
  const Turns guide = reversed(turns, {0, 0}, {1, 2}, Meanwhile::kAsBefore);
  EXPECT_EQ(guide, (Turns{{2, 4}, {1, 2}, {0, 3}}));
}

TEST(Reversal, ADelayedThreadIsLastAmongThoseThatCanRun) {
  const Turns guide = delayed(kTurns, {1, 1}, 3);
  EXPECT_EQ(guide, (Turns{{0, 2, true}, {1, 1}, {0, kAsLongAsItCan}, {2, kAsLongAsItCan, false, true}, {1, 2}}));
}

}  // namespace
}  // namespace heddle
