// Which variables of the environment a trace holds (docs/security.md).
#pragma once
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "abi/region.h"
#include "src/engine/launch.h"

namespace heddle {

/// What a program was seen to ask for; a plain value.
struct EnvironmentReads {
  std::set<std::uint64_t> names;  // heddle_name_hash()
  bool whole = false;             // it started another process, which gets all of it
  std::set<std::filesystem::path> modules;

  void add(const HeddleRegion& region);
  void merge(const EnvironmentReads& other);
};

/// Why a trace has to hold every value; empty: those that were asked for are enough. `executed_again`: what is left out
/// is proven by an execution without it, so that nothing has to be known about main.
std::string why_whole_environment(const Launch& launch, const std::filesystem::path& executable,
                                  const EnvironmentReads& reads, bool executed_again);

/// Each entry with its value replaced by as many x, but for those in `reads` and those that libc reads by itself. So
/// the initial stack has the same size. LD_* and PATH, which a replay takes from its own environment, stay:
/// `for_execution`; else they are replaced too.
std::vector<std::string> without_unread(const std::vector<std::string>& environment, const EnvironmentReads& reads,
                                        bool for_execution);

}  // namespace heddle
