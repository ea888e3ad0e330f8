#include "src/simplify/chance.h"

#include <string>

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include "abi/inputs.h"
#include "abi/region.h"

namespace heddle {
namespace {

std::string record(std::uint16_t kind, std::uint16_t number, std::uint32_t flags, std::uint32_t thread = 0) {
  HeddleInput r{thread, kind, number, 4, 4, flags};
  return std::string(reinterpret_cast<const char*>(&r), sizeof r) + std::string(8, 'x');
}
std::string call(std::uint16_t number, std::uint32_t flags = HEDDLE_INPUT_ORDER, std::uint32_t thread = 0) {
  return record(HEDDLE_IN_SYSCALL, number, flags, thread);
}

TEST(Chance, IsNotInFilesNorInPipesThatNeverBlock) {
  EXPECT_FALSE(chance_in(""));
  EXPECT_FALSE(chance_in(call(SYS_openat) + call(SYS_read) + call(SYS_pipe2) + call(SYS_write)));
}

TEST(Chance, IsInWhatTheWorldDecides) {
  EXPECT_EQ(chance_in(call(SYS_read) + call(SYS_getrandom, 0)), "random bytes");
  EXPECT_EQ(chance_in(record(HEDDLE_IN_RANDOM, 0, 0)), "random bytes");
  EXPECT_TRUE(chance_in(call(SYS_clone3)));
  EXPECT_TRUE(chance_in(call(SYS_read, 0)));  // a device
  EXPECT_TRUE(chance_in(call(SYS_read, HEDDLE_INPUT_ORDER | HEDDLE_INPUT_LEFT)));
}

TEST(Chance, IsInAProcessIdUnlessAbortAsksForIt) {
  EXPECT_TRUE(chance_in(call(SYS_getpid)));
  EXPECT_FALSE(chance_in(call(SYS_gettid) + call(SYS_read, HEDDLE_INPUT_ORDER, 1) + call(SYS_getpid)));
  EXPECT_TRUE(chance_in(call(SYS_gettid, 0, 1) + call(SYS_getpid)));
}

TEST(Chance, OfDamagedInputsIsReadAsFarAsTheyGo) {
  const std::string whole = call(SYS_read) + call(SYS_getrandom, 0);
  for (std::size_t size = 0; size < whole.size(); size++) EXPECT_FALSE(chance_in(whole.substr(0, size)));
}

}  // namespace
}  // namespace heddle
