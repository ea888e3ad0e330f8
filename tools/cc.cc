#include "tools/cc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tools/cc_args.h"
#include "tools/cc_libraries.h"

namespace heddle {

std::string clang_path() {
  if (const char* chosen = getenv("HEDDLE_CLANG"); chosen && *chosen) return chosen;
  return "/usr/lib/llvm-19/bin/clang";
}

namespace {

namespace fs = std::filesystem;

constexpr int kUsageError = 2;

bool read_file(const std::string& path, std::string& text) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  std::ostringstream all;
  all << in.rdbuf();
  text = std::move(all).str();
  return true;
}

int fail(const char* name, const std::string& message) {
  std::fprintf(stderr, "heddle %s: %s\n", name, message.c_str());
  return kUsageError;
}

constexpr const char* kHelp = R"(Compiles and links like clang, with Heddle's hooks and runtime.

Usage: heddle %s ARGS...

All of clang's options work. In a build system: %s=heddle-%s. Use -g: without it, reports have no lines.
Objects that gcc or clang built with -fsanitize=thread can be linked.

Options:
  -fheddle-late           insert the hooks after the optimiser instead of before it
  -fheddle-calls          also hook calls of functions without hooks, for traces with their results
  -fheddle-stats          print what was hooked and what was skipped
  -fno-heddle             run clang without Heddle
  -fsanitize=thread       is removed: Heddle's hooks replace it
  -static, -static-pie    are not supported
In the program:
  __attribute__((annotate("heddle-ignore")))    no hooks in this function

The clang that runs is %s; HEDDLE_CLANG selects another.
Clang's own options: %s --help

Examples:
  heddle %s -g -pthread queue.%s -o queue
)";

int help(bool cxx, const std::string& clang) {
  const char* verb = cxx ? "c++" : "cc";
  std::printf(kHelp, verb, cxx ? "CXX" : "CC", verb, clang.c_str(), clang.c_str(), verb, cxx ? "cc" : "c");
  return std::fflush(stdout) == 0 ? 0 : kUsageError;
}

// The same shape in the build tree and in the installed tree: bin/heddle, lib/heddle/..., include/.
CcParts find_parts(bool cxx) {
  std::error_code error;
  auto root = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  auto lib = root / "lib" / "heddle";
  return {clang_path(),           cxx ? "g++" : "",       lib / "heddle-pass.so",
          lib / "libheddle_rt.a", lib / "heddle_rt.syms", root / "include"};
}

// Empty if the request can be carried out.
std::string obstacle(const CcRequest& request, const CcParts& parts) {
  std::error_code error;
  if (request.off) return {};
  if (needs_runtime(request) && !request.static_flag.empty())
    return request.static_flag +
           " is not supported: the runtime must interpose libc (link dynamically, or use -fno-heddle)";
  if (request.compiles && !fs::exists(parts.plugin, error)) return "the pass is missing: " + parts.plugin;
  if (!needs_runtime(request)) return {};
  if (!fs::exists(parts.runtime, error)) return "the runtime is missing: " + parts.runtime;
  if (!fs::exists(parts.symbols, error)) return "the runtime's symbol list is missing: " + parts.symbols;
  return {};
}

}  // namespace

int cc_main(bool cxx, int argc, char** argv) {
  const char* name = cxx ? "c++" : "cc";
  if (argc == 1 && strcmp(argv[0], "--help") == 0) return help(cxx, clang_path());
  auto request = analyze_cc({argv, argv + argc}, read_file);
  auto parts = find_parts(cxx);
  if (auto reason = obstacle(request, parts); !reason.empty()) return fail(name, reason);
  if (replaces_thread_sanitizer(request))
    std::fprintf(stderr, "heddle %s: -fsanitize=thread is removed: heddle's own hooks detect data races\n", name);
  if (needs_runtime(request) && asks_for_libtsan(request))
    parts.no_libtsan = fs::path(parts.runtime).parent_path() / "tsan";
  auto command = cc_command(request, parts);
  std::vector<char*> words;
  for (auto& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  execv(words[0], words.data());
  return fail(name, "cannot run " + command[0] + ": " + strerror(errno) + " (set HEDDLE_CLANG, or install clang-19)");
}

}  // namespace heddle
