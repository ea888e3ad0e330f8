#include "src/hunt/changing_input.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <string>

#include "abi/region.h"

namespace heddle {
namespace {

std::string record(std::uint16_t kind, long number, std::string data, std::uint32_t thread = 0) {
  HeddleInput head{};
  head.thread = thread;
  head.kind = kind;
  head.number = static_cast<std::uint16_t>(number);
  head.result = static_cast<std::int64_t>(data.size());
  head.size = static_cast<std::uint32_t>(data.size());
  data.resize((data.size() + 7) / 8 * 8);
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + data;
}
std::string call(long number, std::string data, std::uint32_t thread = 0) {
  return record(HEDDLE_IN_SYSCALL, number, std::move(data), thread);
}

TEST(ChangingInput, RandomBytesAreFoundBehindOtherRecords) {
  EXPECT_FALSE(asks_for_random(""));
  EXPECT_FALSE(asks_for_random(call(SYS_read, "abc")));
  EXPECT_TRUE(asks_for_random(call(SYS_read, "abc") + call(SYS_getrandom, "1234")));
  EXPECT_TRUE(asks_for_random(call(SYS_read, "abcdefghi") + record(HEDDLE_IN_RANDOM, 0, "")));
  EXPECT_FALSE(asks_for_random(call(SYS_read, "abc").substr(0, 20)));  // cut off
}

TEST(ChangingInput, WhatWasReadIsComparedAndNothingElse) {
  const std::string one = call(SYS_read, "abc"), other = call(SYS_read, "abd");
  EXPECT_TRUE(read_the_same(one + call(SYS_fstat, "1"), one + call(SYS_fstat, "2")));
  EXPECT_FALSE(read_the_same(one, other));
  EXPECT_FALSE(read_the_same(one, one + other));
  EXPECT_FALSE(read_the_same(one, call(SYS_read, "abc", 1)));
}

}  // namespace
}  // namespace heddle
