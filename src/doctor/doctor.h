// Will heddle work on this machine? Each check asks the kernel or executes something for real; nothing is concluded
// from versions.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace heddle {

enum class Verdict {
  kFine,
  kLess,    // works, but less: `text` says what does not
  kBroken,  // control is not proven
};

struct Finding {
  std::string name;  // "system calls", "heddle cc on fibers"
  Verdict verdict = Verdict::kFine;
  std::string text;    // what is there; what will not work
  std::string advice;  // what to do, if anything
};

/// The parts of this heddle, as the tool knows them.
struct Parts {
  std::filesystem::path heddle;  // the executable
  std::filesystem::path clang, plugin, runtime, symbols, preload, canary;
  std::vector<std::string> environment;  // "K=V", without HEDDLE_*
};

/// Kernel and permissions: asked in short-lived children.
std::vector<Finding> check_machine();
/// Processors with FSGSBASE, which the fiber backend needs.
bool fibers_possible();

/// Limits, space, debugger.
std::vector<Finding> check_surroundings(const Parts& parts);

/// Compiler, plugin and runtimes are there.
std::vector<Finding> check_parts(const Parts& parts);

/// A tiny program with a bug of schedules goes through each front end and backend: built, hunted in, replayed. Executes
/// heddle itself in a temporary folder, which is removed.
std::vector<Finding> run_canaries(const Parts& parts);

}  // namespace heddle
