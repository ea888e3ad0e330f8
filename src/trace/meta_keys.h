// Keys of Meta::more. They are part of the file format: append, never change. docs/trace-format.md explains them.
#pragma once
#include <string>

#include "src/trace/trace.h"

namespace heddle::meta_key {

inline constexpr const char* kMaxSteps = "max_steps";
inline constexpr const char* kTimeModel = "time_model";
inline constexpr const char* kSignalsAtPoints = "signals_at_points";  // a flag; without it: HeddleRun::late_signals
inline constexpr const char* kLight = "light";                        // a flag
inline constexpr const char* kFailOnRace = "fail_on_race";
inline constexpr const char* kForkAtMark = "fork_at_mark";
inline constexpr const char* kFailOnExit = "fail_on_exit";
inline constexpr const char* kFailOnOutput = "fail_on_output";
inline constexpr const char* kNetwork = "network";  // "host", "own"
inline constexpr const char* kGtest = "gtest";      // the test that was hunted in
inline constexpr const char* kPctDepth = "pct_depth";
inline constexpr const char* kPctSteps = "pct_steps";
inline constexpr const char* kCwdCopy = "cwd_copy";  // a flag: it changes files, and each execution has a copy
inline constexpr const char* kSimplified = "simplified";  // a flag
inline constexpr const char* kCutOff = "cut_off";  // a flag, of a recording: how the run would have ended is not known
// The program behind a wrapper script (src/engine/builds.h).
inline constexpr const char* kElf = "elf";
inline constexpr const char* kElfBuildId = "elf_build_id";
inline constexpr const char* kElfArgv = "elf_argv";
inline constexpr const char* kElfEnvironment = "elf_environment";
inline constexpr const char* kElfCwd = "elf_cwd";
inline constexpr const char* kWholeEnvironment = "whole_environment";  // why the environment is stored whole

}  // namespace heddle::meta_key

namespace heddle {

/// "" without the key.
inline std::string value_of(const Meta& meta, const std::string& key) {
  const auto found = meta.more.find(key);
  return found == meta.more.end() ? std::string() : found->second;
}

inline void set_flag(Meta& meta, const char* key) { meta.more.insert_or_assign(key, std::string(1, '1')); }
inline bool has_flag(const Meta& meta, const char* key) { return value_of(meta, key) == "1"; }

}  // namespace heddle
