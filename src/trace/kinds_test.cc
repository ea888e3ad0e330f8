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
    const ObjectClass object = object_class(kind);
    const bool is_lock =
        object == ObjectClass::kMutex || object == ObjectClass::kRwLock || object == ObjectClass::kSpinLock;
    const EventClass event = event_class(kind);
    EXPECT_EQ(is_lock, event == EventClass::kAcquire || event == EventClass::kRelease) << kind;
    if (object != ObjectClass::kOther && !is_lock) {
      EXPECT_EQ(event, EventClass::kSignal) << kind;
    }
  }
  EXPECT_EQ(event_class(HEDDLE_EV_READ), EventClass::kRead);
  EXPECT_EQ(event_class(HEDDLE_EV_WRITE_RANGE), EventClass::kWrite);
  EXPECT_EQ(event_class(HEDDLE_EV_ATOMIC_LOAD), EventClass::kAtomic);
  EXPECT_EQ(event_class(HEDDLE_EV_SIGNAL), EventClass::kOther) << "a handler";
  EXPECT_EQ(event_class(HEDDLE_EV_COUNT), EventClass::kOther);
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
