// Races as a reader counts them: one entry per variable, with all places; the one that the failure is about comes
// first.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "src/trace/trace.h"

namespace heddle {

/// Where the access is in the user's code: no library, no wrapper of a primitive, as far as the stack tells.
Frame own_frame(const RaceAccess& access);

struct RaceGroup {
  std::string variable;                  // "memory" when it has no name
  std::uint32_t size = 0;                // of the first
  std::vector<const RaceRecord*> races;  // pairs of places, each once; they outlive the group
  /// The failing statement is one of its places, or names it.
  bool at_failure = false;
};

/// `failure` may be null.
std::vector<RaceGroup> grouped_races(std::span<const RaceRecord> races, const FailureRecord* failure);

/// "3 data races on 2 variables", "1 data race"
std::string counted_races(std::span<const RaceGroup> groups);

}  // namespace heddle
