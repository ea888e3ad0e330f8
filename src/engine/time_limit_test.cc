#include "src/engine/time_limit.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Clock = TimeLimit::Clock;

void await(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

TEST(TimeLimit, WhatIsOverStopsAtOnce) {
  std::atomic<bool> source{false};
  TimeLimit limit(source, Clock::now());
  EXPECT_TRUE(limit.stop());
  EXPECT_TRUE(limit.time_is_up());
}

TEST(TimeLimit, TheSourceIsNotTakenForTheTime) {
  std::atomic<bool> source{false};
  TimeLimit limit(source, Clock::now() + std::chrono::hours(1));
  EXPECT_FALSE(limit.stop());
  source = true;
  await(limit.stop());
  EXPECT_FALSE(limit.time_is_up());
}

TEST(TimeLimit, StopsNotBeforeItsTime) {
  std::atomic<bool> source{false};
  const auto end = Clock::now() + std::chrono::milliseconds(30);
  TimeLimit limit(source, end);
  await(limit.stop());
  EXPECT_GE(Clock::now(), end);
  EXPECT_TRUE(limit.time_is_up());
}

TEST(TimeLimit, WithoutAnEndItOnlyFollows) {
  std::atomic<bool> source{true};
  EXPECT_TRUE(TimeLimit(source, std::nullopt).stop());
}

}  // namespace
}  // namespace heddle
