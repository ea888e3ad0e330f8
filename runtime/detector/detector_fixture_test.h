// Scripted executions of a few threads, checked against the oracle at the end.
#pragma once
#include <gtest/gtest.h>

#include "runtime/detector/detector_world_test.h"

namespace heddle::rt::detector {

inline constexpr uintptr_t kX = 0x7ffff7002000, kY = kX + 64, kFlag = kX + 128;
inline constexpr int kLock = 0;

class Detector : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(w.difference(), ""); }
  int a() { return a_ ? a_ : a_ = w.create(0); }
  int b() { return b_ ? b_ : b_ = w.create(0); }
  /// Two threads that know nothing of each other.
  void two() { a(), b(); }

  World w;

 private:
  int a_ = 0, b_ = 0;
};

}  // namespace heddle::rt::detector
