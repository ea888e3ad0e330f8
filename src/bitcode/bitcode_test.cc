// Laws of Bitcode: a reference names one instruction; what does not fit the file is an Error, never another
// instruction.
#include "src/bitcode/bitcode.h"

#include <cstdlib>
#include <fstream>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <llvm/IR/Instruction.h>

#include "src/program/parked_process.h"
#include "src/program/program.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::compile;
using testing::ScratchFolder;

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

/// The bitcode of `int f(int a) { return g(a) + 1; }`, padded: a call, an addition, a return.
std::string bitcode_of_f(const ScratchFolder& folder) {
  const fs::path source = folder.path() / "f.c", out = folder.path() / "f.bc";
  std::ofstream(source) << "int g(int);\nint f(int a) {\n  return g(a) +\n    1;\n}\n";
  const std::string command = fmt::format("clang-19 -g -O1 -c -emit-llvm {} -o {}", source.string(), out.string());
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream in(out, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  bytes.resize((bytes.size() + 7) & ~std::size_t{7});
  return bytes;
}

/// A program that carries `bytes` in a frame which says that they have so many instructions.
fs::path program_with(const ScratchFolder& folder, const std::string& bytes, unsigned instructions) {
  const fs::path carried = folder.path() / "carried";
  std::ofstream(carried, std::ios::binary) << bytes;
  return compile(folder, "program.c",
                 fmt::format("__asm__(\".section .llvmcmd,\\\"\\\"\\n .quad 0x32454d4152464448, {}, {:#x}, {}\\n"
                             " .incbin \\\"{}\\\"\\n .text\\n\");\nint main(void) {{ return 0; }}\n",
                             bytes.size(), fnv1a(bytes), instructions, carried.string()),
                 "gcc -Wl,--build-id");
}

class BitcodeTest : public ::testing::Test {
 protected:
  SiteRef ref(std::uint32_t ordinal) const { return {*build_id_of(program_), fnv1a(bytes_), ordinal}; }

  ScratchFolder folder_;
  std::string bytes_ = bitcode_of_f(folder_);
  fs::path program_ = program_with(folder_, bytes_, 3);
};

TEST_F(BitcodeTest, AnOrdinalNamesTheInstructionAtItsPosition) {
  auto bitcode = Bitcode::open(program_);
  ASSERT_TRUE(bitcode) << bitcode.error().message;
  const std::pair<const char*, unsigned> expected[] = {{"call", 3}, {"add", 3}, {"ret", 3}};
  for (std::uint32_t ordinal = 1; ordinal <= 3; ++ordinal) {
    const auto found = bitcode->instruction(ref(ordinal));
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_STREQ((*found)->getOpcodeName(), expected[ordinal - 1].first);
    EXPECT_EQ(place_of(**found).line, expected[ordinal - 1].second);
    EXPECT_EQ(place_of(**found).function, "f");
    EXPECT_EQ(place_of(**found).file, (folder_.path() / "f.c").string());
  }
}

TEST_F(BitcodeTest, WhatDoesNotFitTheFileIsAnError) {
  auto bitcode = Bitcode::open(program_);
  ASSERT_TRUE(bitcode) << bitcode.error().message;
  EXPECT_FALSE(bitcode->instruction(ref(0)));
  EXPECT_FALSE(bitcode->instruction(ref(4)));
  SiteRef other = ref(1);
  other.module ^= 1;
  EXPECT_FALSE(bitcode->instruction(other));
  other = ref(1);
  other.build_id[0] ^= 1;
  EXPECT_FALSE(bitcode->instruction(other));
}

TEST_F(BitcodeTest, AnotherCountOfInstructionsIsAnError) {
  program_ = program_with(folder_, bytes_, 4);
  auto bitcode = Bitcode::open(program_);
  ASSERT_TRUE(bitcode) << bitcode.error().message;
  const auto found = bitcode->instruction(ref(1));
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("3 instructions for this LLVM, and had 4"), std::string::npos)
      << found.error().message;
}

TEST_F(BitcodeTest, DamagedBitcodeIsAnError) {
  bytes_ = "no bitcode at all, but a frame says so   ";
  bytes_.resize(40);
  program_ = program_with(folder_, bytes_, 3);
  auto bitcode = Bitcode::open(program_);
  ASSERT_TRUE(bitcode) << bitcode.error().message;
  EXPECT_FALSE(bitcode->instruction(ref(1)));
  EXPECT_FALSE(Bitcode::open("/bin/true"));
}

TEST_F(BitcodeTest, ACallIsFoundByItsPlace) {
  auto bitcode = Bitcode::open(program_);
  ASSERT_TRUE(bitcode) << bitcode.error().message;
  SiteRecord site;
  site.function = "f";
  site.file = (folder_.path() / "f.c").string();
  site.line = 3;
  site.column = 10;
  const auto found = bitcode->find(site);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_STREQ((*found)->getOpcodeName(), "call");
  site.line = 4;
  EXPECT_FALSE(bitcode->find(site));
}

}  // namespace
}  // namespace heddle
