// What a clang command line does, and what it takes to make it build for heddle. Pure: no file is touched except
// response files, and nothing is executed.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Reads a response file: its whole text, or nothing if it cannot be read.
using ReadFile = bool (*)(const std::string& path, std::string& text);

/// What the user's arguments ask clang for. Made by analyze_cc().
struct CcRequest {
  bool compiles = false;       // C or C++ (or IR) goes through the optimiser
  bool links = false;          // the last step is the linker
  bool shared = false;         // -shared
  bool relocatable = false;    // -r
  std::string static_flag;     // -static, -static-pie as the user spelled it; empty: neither
  bool no_runtime = false;     // -nostdlib and the like: there is no libc for the runtime to stand on
  bool thread_sanitizer = false;  // -fsanitize=thread
  bool has_build_id = false;   // the user chose a build-id
  bool late = false;           // -fheddle-late
  bool calls = false;          // -fheddle-calls
  bool stats = false;          // -fheddle-stats
  bool off = false;            // -fno-heddle
  std::vector<std::string> libraries;  // shared libraries among the inputs: paths, and names of -l
  std::vector<std::string> folders;    // of -L
  std::vector<std::string> passed;  // the user's arguments without ours
};

/// Where heddle's own parts are.
struct CcParts {
  std::string clang;    // clang or clang++
  std::string driver_mode;  // "g++" makes any clang a clang++
  std::string plugin;   // heddle-pass.so
  std::string runtime;  // libheddle_rt.a
  std::string symbols;  // heddle_rt.syms: what the executable exports
  std::string include;  // <heddle/check.h>
  std::string no_libtsan = {};  // the folder of a libtsan.so.2 that does nothing; empty: nobody asks for it
};

CcRequest analyze_cc(const std::vector<std::string>& args, ReadFile read_file);

/// True if the request links an executable that must carry the runtime.
bool needs_runtime(const CcRequest& request);

/// True if the user asked for ThreadSanitizer where our own hooks and runtime stand instead: both cannot be.
bool replaces_thread_sanitizer(const CcRequest& request);

/// The command for execv, clang first.
std::vector<std::string> cc_command(const CcRequest& request, const CcParts& parts);

/// Splits the text of a response file as clang does: blanks separate, quotes and backslashes keep together.
std::vector<std::string> split_response(std::string_view text);

}  // namespace heddle
