// Law: whatever is read and written in whatever pieces, each byte has the value that it was given last.
#include "src/order/byte_ranges.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace heddle {
namespace {

constexpr std::uint64_t kBytes = 40;

TEST(ByteRanges, EachByteHasWhatItWasGivenLast) {
  for (unsigned seed = 0; seed < 500; seed++) {
    std::mt19937 random(seed);
    ByteRanges<int> ranges;
    std::array<int, kBytes> bytes{};
    for (int step = 1; step < 60; step++) {
      const std::uint64_t first = random() % kBytes, last = first + random() % (kBytes - first);
      const unsigned what = random() % 4;
      if (what == 0) ranges.assign(first, last, step);
      if (what == 1) ranges.each(first, last, [&](std::uint64_t, std::uint64_t, int& value) { value += step; });
      if (what == 2) ranges.erase(first, last);
      for (std::uint64_t at = first; at <= last && what < 3; at++)
        bytes[at] = what == 0 ? step : what == 1 ? bytes[at] + step : 0;
      std::uint64_t next = first;
      ranges.each(first, last, [&](std::uint64_t from, std::uint64_t to, int value) {
        ASSERT_EQ(from, next);
        for (std::uint64_t at = from; at <= to; at++) ASSERT_EQ(value, bytes[at]) << "seed " << seed;
        next = to + 1;
      });
      ASSERT_EQ(next, last + 1);
    }
  }
}

TEST(ByteRanges, ReachToTheLastByte) {
  constexpr std::uint64_t kEnd = ~std::uint64_t{0};
  ByteRanges<int> ranges;
  ranges.assign(kEnd - 7, kEnd, 1);
  ranges.assign(kEnd, kEnd, 2);
  int sum = 0, parts = 0;
  ranges.each(kEnd - 8, kEnd, [&](std::uint64_t, std::uint64_t, int value) { sum += value, parts++; });
  EXPECT_EQ(sum, 3);
  EXPECT_EQ(parts, 3);
  ranges.erase(0, kEnd);
  EXPECT_EQ(ranges.parts(), 0u);
}

TEST(ByteRanges, WhatIsOverwrittenTakesNoMemory) {
  ByteRanges<int> ranges;
  for (std::uint64_t at = 0; at < 100; at++) ranges.assign(at, at, 1);
  ranges.assign(10, 89, 2);
  EXPECT_EQ(ranges.parts(), 21u);
}

}  // namespace
}  // namespace heddle
