// Tokens are kept by other programs (signatures in files of known failures, SARIF, --json): they never change, whatever
// is reworded. So they stand here a second time.
#include "src/trace/kinds.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Kinds, TokensOfFailuresNeverChange) {
  constexpr std::string_view kTokens[] = {"none",      "assertion", "abort",    "segfault", "bus",   "fpe",
                                          "ill",       "exception", "deadlock", "livelock", "hang",  "exit",
                                          "sanitizer", "output",    "check",    "race",     "signal"};
  ASSERT_EQ(std::size(kTokens), static_cast<std::size_t>(HEDDLE_FAIL_COUNT)) << "a new kind is appended here, too";
  for (int kind = 0; kind < HEDDLE_FAIL_COUNT; ++kind) EXPECT_EQ(token(static_cast<FailureKind>(kind)), kTokens[kind]);
  EXPECT_EQ(token(static_cast<FailureKind>(HEDDLE_FAIL_COUNT)), "none");
}

TEST(Kinds, TokensOfWaitsNeverChange) {
  constexpr std::string_view kTokens[] = {"unknown", "lock",       "rdlock",      "wrlock",  "spin lock",
                                          "wait",    "futex wait", "sem wait",    "barrier", "once",
                                          "join",    "sleep",      "system call", "suspend"};
  ASSERT_EQ(std::size(kTokens), static_cast<std::size_t>(WaitKind::kCount)) << "a new one is appended here, too";
  for (std::size_t wait = 0; wait < std::size(kTokens); ++wait)
    EXPECT_EQ(token(static_cast<WaitKind>(wait)), kTokens[wait]);
}

TEST(Kinds, EveryOperationThatMayBlockIsAWait) {
  for (std::uint32_t kind = 0; kind < HEDDLE_EV_COUNT; ++kind) {
    if (heddle_event_properties(kind) & HEDDLE_P_MAYBLOCK) {
      EXPECT_NE(wait_kind(kind), WaitKind::kUnknown) << kind;
    } else {
      EXPECT_EQ(wait_kind(kind), WaitKind::kUnknown) << kind;
    }
  }
}

}  // namespace
}  // namespace heddle
