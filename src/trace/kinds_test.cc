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

TEST(Kinds, TokensOfRunsAndAccessesNeverChange) {
  EXPECT_EQ(token(TraceSource::kRecorded), "recorded");
  EXPECT_EQ(token(TraceSource::kLifted), "lifted");
  for (const auto& [points, text] : {std::pair{HEDDLE_POINTS_SYNC, "sync"}, std::pair{HEDDLE_POINTS_RACY, "racy"},
                                     std::pair{HEDDLE_POINTS_ALL, "all"}}) {
    EXPECT_EQ(token(points), text);
    EXPECT_EQ(point_set_named(text), points);
  }
  EXPECT_EQ(point_set_named("some"), std::nullopt);
  constexpr std::pair<std::uint32_t, std::string_view> kAccesses[] = {{HEDDLE_EV_READ, "read"},
                                                                      {HEDDLE_EV_READ_RANGE, "read"},
                                                                      {HEDDLE_EV_WRITE, "write"},
                                                                      {HEDDLE_EV_WRITE_RANGE, "write"},
                                                                      {HEDDLE_EV_ATOMIC_LOAD, "atomic load"},
                                                                      {HEDDLE_EV_ATOMIC_STORE, "atomic store"},
                                                                      {HEDDLE_EV_ATOMIC_RMW, "atomic rmw"},
                                                                      {HEDDLE_EV_ATOMIC_CAS, "atomic cas"},
                                                                      {HEDDLE_EV_FREE, "free"}};
  for (const auto& [kind, text] : kAccesses) EXPECT_EQ(access_token(kind), text);
}

TEST(Kinds, WhatUsesAnObjectOfAClassTakesOrGivesOrSignals) {
  for (std::uint32_t kind = 0; kind < HEDDLE_EV_COUNT; ++kind) {
    const ObjectClass object = heddle_object_class(kind);
    const bool is_lock = object == HEDDLE_O_MUTEX || object == HEDDLE_O_RWLOCK || object == HEDDLE_O_SPINLOCK;
    const EventClass event = heddle_event_class(kind);
    EXPECT_EQ(is_lock, acquires(event) || event == HEDDLE_C_RELEASE) << kind;
    if (object != HEDDLE_O_NONE && !is_lock) {
      EXPECT_EQ(token(event), "signal") << kind;
    }
    EXPECT_EQ(acquires(event), token(event) == "acquire") << kind;
  }
}

TEST(Kinds, ClassesAgreeWithProperties) {
  for (std::uint32_t kind = 0; kind < HEDDLE_EV_COUNT; ++kind) {
    const std::uint32_t properties = heddle_event_properties(kind);
    const EventClass event = heddle_event_class(kind);
    const bool is_access = event == HEDDLE_C_READ || event == HEDDLE_C_WRITE || event == HEDDLE_C_ATOMIC;
    EXPECT_EQ(is_access, (properties & HEDDLE_P_ACCESS) != 0) << kind;
    if (is_access) {
      EXPECT_EQ(event == HEDDLE_C_ATOMIC, (properties & HEDDLE_P_SYNC) != 0) << kind;
    }
    if (event == HEDDLE_C_TRY_ACQUIRE || event == HEDDLE_C_TRY_EITHER || event == HEDDLE_C_TRY_AWAIT) {
      EXPECT_FALSE(properties & HEDDLE_P_MAYBLOCK) << kind;
    }
    if (event == HEDDLE_C_ACQUIRE || event == HEDDLE_C_SHARED_ACQUIRE || event == HEDDLE_C_AWAIT) {
      EXPECT_TRUE(properties & HEDDLE_P_MAYBLOCK) << kind;
    }
  }
  EXPECT_EQ(heddle_event_class(HEDDLE_EV_COUNT), HEDDLE_C_OTHER);
  EXPECT_EQ(heddle_object_class(HEDDLE_EV_COUNT), HEDDLE_O_NONE);
}

TEST(Kinds, TokensOfEventClassesNeverChange) {
  constexpr std::pair<std::uint32_t, std::string_view> kTokens[] = {
      {HEDDLE_EV_READ, "read"},          {HEDDLE_EV_WRITE_RANGE, "write"}, {HEDDLE_EV_ATOMIC_LOAD, "atomic"},
      {HEDDLE_EV_RW_TRYLOCK, "acquire"}, {HEDDLE_EV_RW_UNLOCK, "release"}, {HEDDLE_EV_SUSPEND, "signal"},
      {HEDDLE_EV_THREAD_START, "thread"}, {HEDDLE_EV_FORK, "thread"},      {HEDDLE_EV_FENCE, "other"},
      {HEDDLE_EV_SIGNAL, "other"},       {HEDDLE_EV_COUNT, "other"}};
  for (const auto& [kind, text] : kTokens) EXPECT_EQ(token(heddle_event_class(kind)), text) << kind;
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
