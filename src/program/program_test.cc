// Laws of inspect_program, read_sites and read_bitcode: what is in the file is reported; what is not a program, or
// damaged, is an Error that says so; nothing crashes.
#include "src/program/program.h"

#include <cstring>
#include <fstream>
#include <map>
#include <random>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "src/program/parked_process.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::compile;
using testing::ScratchFolder;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path write_program(const fs::path& path, const std::string& bytes, fs::perms mode = fs::perms::owner_all) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  fs::permissions(path, mode);
  return path;
}

std::string message_for(const fs::path& path) {
  const auto info = inspect_program(path);
  return info ? "no error" : info.error().message;
}

// A table like the pass's, in C: self-relative strings by assembler, one COMDAT-free object. Two arrays with heads, and
// a site that no array holds.
const std::string kSites = std::string(testing::kParkDeclarations) + R"(
__asm__(
  ".section .rodata.sites,\"a\"\n"
  "f1: .asciz \"_ZN5QueueIiE4pushEi\"\n" "p1: .asciz \"/src/queue.cc\"\n" "v1: .asciz \"head\"\n" "f2: .asciz \"main\"\n"
  ".section heddle_sites,\"aw\"\n .balign 32\n"
  ".long 0\n .long f1-.\n .quad 0x6a48a56cd5c33c02\n .long 1\n .long 0\n .long 8192\n .long 0\n"
  ".long 0\n .long f1-.\n .long p1-.\n .long v1-.\n .long 14\n .short 3\n .byte 2\n .byte 8\n .long 0\n .long 3\n"
  ".long 0\n .long f2-.\n .quad 0x4bb2b4c9b0c1e5ab\n .long 1\n .long 0\n .long 8192\n .long 0\n"
  ".long 0\n .long f2-.\n .long p1-.\n .long 0\n .long 40\n .short 1\n .byte 10\n .byte 0\n .long 4\n .long 2\n"
  ".long 0\n .long f2-.\n .long p1-.\n .long 0\n .long 41\n .short 1\n .byte 10\n .byte 0\n .long 4\n .long 7\n"
  ".section .llvmcmd,\"\"\n"
  ".quad 0x32454d4152464448, 5, 0x6a48a56cd5c33c02, 4\n .ascii \"first\\0\\0\\0\"\n"
  ".asciz \"foreign bitcode\"\n"
  ".quad 0x32454d4152464448, 6, 0x4bb2b4c9b0c1e5ab, 9\n .ascii \"second\\0\\0\"\n"
  ".text\n");
__attribute__((visibility("default"))) void __heddle_register_module(void) {}
int main(void) { return 0; }
)";

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

std::string with_hashes(std::string source) {
  const auto put = [&](const std::string& placeholder, std::string_view text) {
    for (std::size_t at = 0; (at = source.find(placeholder, at)) != std::string::npos;)
      source.replace(at, placeholder.size(), fmt::format("{:#x}", fnv1a(text)));
  };
  put("0x6a48a56cd5c33c02", "first");
  put("0x4bb2b4c9b0c1e5ab", "second");
  return source;
}

TEST(Program, SitesAndBitcodeAreReadBack) {
  ScratchFolder folder;
  for (const char* command : {"gcc -rdynamic", "gcc -no-pie -fno-pie -rdynamic", "clang-19 -fuse-ld=lld -rdynamic"}) {
    const auto path = compile(folder, "sites.c", with_hashes(kSites), command);
    const auto info = inspect_program(path);
    ASSERT_TRUE(info.has_value()) << info.error().message;
    EXPECT_TRUE(info->instrumented);
    EXPECT_TRUE(info->has_runtime);
    EXPECT_FALSE(info->is_static);
    EXPECT_FALSE(info->build_id.empty());
    const auto sites = read_sites(path);
    ASSERT_TRUE(sites.has_value()) << sites.error().message;
    EXPECT_EQ(sites->build_id, info->build_id);
    EXPECT_EQ(sites->bitcode, (std::vector{fnv1a("first"), fnv1a("second")}));
    ASSERT_EQ(sites->sites.size(), 5u);
    const SiteRecord& first = sites->sites[1];
    EXPECT_EQ(first.id, 1u);
    EXPECT_EQ(first.module, 1u);
    EXPECT_EQ(first.ordinal, 3u);
    EXPECT_EQ(first.function, "Queue<int>::push");
    EXPECT_EQ(first.file, "/src/queue.cc");
    EXPECT_EQ(first.variable, "head");
    EXPECT_EQ(first.line, 14u);
    EXPECT_EQ(first.column, 3u);
    EXPECT_EQ(first.kind, 2);
    EXPECT_EQ(first.size, 8);
    const SiteRecord& second = sites->sites[3];
    EXPECT_EQ(second.function, "main");
    EXPECT_EQ(second.variable, "");
    EXPECT_EQ(second.module, 2u);
    EXPECT_EQ(second.ordinal, 2u);
    EXPECT_EQ(sites->sites[2].function, "main") << "a head";
    EXPECT_EQ(sites->sites[2].kind, 0);
    EXPECT_EQ(sites->sites.back().module, 0u) << "behind the last array";
    EXPECT_EQ(sites->sites.back().ordinal, 0u);
    const auto modules = read_bitcode(path);
    ASSERT_TRUE(modules.has_value()) << modules.error().message;
    ASSERT_EQ(modules->size(), 2u);
    EXPECT_EQ(modules->back().bytes.size(), 6u);
    EXPECT_EQ(std::memcmp(modules->back().bytes.data(), "second", 6), 0);
    EXPECT_EQ(modules->back().instructions, 9u);
  }
}

TEST(Program, WrongHashOfBitcodeIsAnError) {
  ScratchFolder folder;
  const auto modules = read_bitcode(compile(folder, "sites.c", kSites, "gcc"));
  ASSERT_FALSE(modules.has_value());
  EXPECT_NE(modules.error().message.find("hash"), std::string::npos);
}

TEST(Program, AProgramOfAnotherCompilerHasNeitherSitesNorBitcode) {
  const auto info = inspect_program("/bin/true");
  ASSERT_TRUE(info.has_value());
  EXPECT_FALSE(info->instrumented);
  EXPECT_FALSE(info->has_runtime);
  EXPECT_TRUE(read_sites("/bin/true")->sites.empty());
  EXPECT_TRUE(read_bitcode("/bin/true")->empty());
}

TEST(Program, WhatIsNoProgramIsSaidInPlainWords) {
  ScratchFolder folder;
  const fs::path& at = folder.path();
  EXPECT_NE(message_for(at / "missing").find("no such program"), std::string::npos);
  EXPECT_NE(message_for(at).find("is a directory"), std::string::npos);
  EXPECT_NE(message_for(write_program(at / "data", "hello", fs::perms::owner_read)).find("not executable"),
            std::string::npos);
  EXPECT_NE(message_for(write_program(at / "text", "hello")).find("neither"), std::string::npos);
  EXPECT_NE(message_for(write_program(at / "empty", "")).find("is empty"), std::string::npos);
  EXPECT_NE(message_for(write_program(at / "nothing", "#!  \nx")).find("names no interpreter"), std::string::npos);
  EXPECT_NE(message_for("/dev/null").find("not a regular file"), std::string::npos);
  EXPECT_NE(message_for(""), "no error");
}

TEST(Program, OtherMachinesAndLinkagesAreSaidInPlainWords) {
  ScratchFolder folder;
  const fs::path& at = folder.path();
  std::string elf = read_file("/bin/true");
  const auto patched = [&](std::size_t offset, char value) {
    std::string bytes = elf;
    bytes[offset] = value;
    return bytes;
  };
  EXPECT_NE(message_for(write_program(at / "arm", patched(18, static_cast<char>(183)))).find("64-bit ARM"),
            std::string::npos);
  EXPECT_NE(message_for(write_program(at / "class32", patched(4, 1))), "no error");
  EXPECT_NE(message_for(write_program(at / "object", patched(16, 1))).find("object file"), std::string::npos);
  EXPECT_NE(message_for(write_program(at / "core", patched(16, 4))).find("core dump"), std::string::npos);
  EXPECT_NE(message_for(compile(folder, "static.c", "int main(void) { return 0; }\n", "gcc -static"))
                .find("statically linked"),
            std::string::npos);
  EXPECT_NE(message_for(compile(folder, "library.c", "int f(void) { return 0; }\n", "gcc -shared -fPIC"))
                .find("shared library"),
            std::string::npos);
}

TEST(Program, ScriptsAreRecognisedWithTheirInterpreter) {
  ScratchFolder folder;
  const auto info = inspect_program(write_program(folder.path() / "s", "#! /usr/bin/env  python3 -u \nprint(1)\n"));
  ASSERT_TRUE(info.has_value());
  EXPECT_TRUE(info->is_script);
  EXPECT_EQ(info->interpreter, (std::vector<std::string>{"/usr/bin/env", "python3 -u"}));
  EXPECT_TRUE(info->build_id.starts_with("file:"));
}

TEST(Program, WithoutBuildIdTheFileIsHashed) {
  ScratchFolder folder;
  const auto one =
      inspect_program(compile(folder, "one.c", "int main(void) { return 0; }\n", "gcc -Wl,--build-id=none"));
  const auto two =
      inspect_program(compile(folder, "two.c", "int main(void) { return 1; }\n", "gcc -Wl,--build-id=none"));
  ASSERT_TRUE(one && two);
  EXPECT_TRUE(one->build_id.starts_with("file:"));
  EXPECT_NE(one->build_id, two->build_id);
}

TEST(Program, LinksAreResolvedAndSetuidIsSeen) {
  ScratchFolder folder;
  const auto program = write_program(folder.path() / "p", read_file("/bin/true"));
  fs::create_symlink(program, folder.path() / "link");
  ::chmod(program.c_str(), 04755);
  const auto info = inspect_program(folder.path() / "link");
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->path, program);
  EXPECT_TRUE(info->is_setuid);
}

/// Whatever the bytes, each reader answers or gives an Error.
void read_everything(const fs::path& path) {
  const auto info = inspect_program(path);
  EXPECT_TRUE(info || !info.error().message.empty());
  (void)read_sites(path);
  (void)read_bitcode(path);
}

TEST(Program, TruncatedFilesNeverCrash) {
  ScratchFolder folder;
  const std::string good = read_file(compile(folder, "sites.c", with_hashes(kSites), "gcc -g -rdynamic"));
  const auto path = write_program(folder.path() / "bad", good);
  for (std::size_t i = 0; i < 300; ++i) {  // ever shorter: the last 64 bytes to go are the ELF header
    fs::resize_file(path, i < 236 ? good.size() - good.size() * i / 236 : 300 - i);
    read_everything(path);
  }
}

TEST(Program, HostileFilesNeverCrash) {
  ScratchFolder folder;
  const std::string good = read_file(compile(folder, "sites.c", with_hashes(kSites), "gcc -g -rdynamic"));
  const auto path = write_program(folder.path() / "bad", good);
  std::fstream file(path,
                    std::ios::binary | std::ios::in | std::ios::out);  // changed in place: the disk stays out of it
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::map<std::size_t, char> changed;
    for (unsigned flips = 1 + random() % 4; flips > 0; --flips) {
      // Section headers are at the end, the ELF and program headers at the start: aim there half of the time.
      const unsigned where = random() % 4;
      const std::size_t size = good.size();
      const std::size_t at = where == 0 ? random() % 1024 : where == 1 ? size - 1 - random() % 4096 : random() % size;
      changed[at] = static_cast<char>(random() % 2 ? random() : good[at] ^ (1u << random() % 8));
    }
    for (const auto& [at, value] : changed) file.seekp(static_cast<std::streamoff>(at)).put(value);
    file.flush();
    read_everything(path);
    for (const auto& [at, value] : changed) file.seekp(static_cast<std::streamoff>(at)).put(good[at]);
  }
}

}  // namespace
}  // namespace heddle
