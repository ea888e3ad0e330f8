// Runs that ended before the program did, without a failure.
#pragma once
#include <cstdint>
#include <map>
#include <optional>

#include "src/engine/execute.h"

namespace heddle {

enum class CutOff {
  kSteps,         // at the step bound, while threads still changed something
  kTime,          // at --run-timeout
  kUncontrolled,  // all threads waited, and a thread that is not under control was there
};

/// Why `outcome` was cut off; nullopt: it was not.
std::optional<CutOff> cut_off(const RunOutcome& outcome);

struct CutOffRuns {
  std::uint64_t at_bound = 0;
  std::uint64_t steps = 0;  // of the longest run that was cut off at the step bound
  std::uint64_t over_time = 0;
  std::uint64_t uncontrolled = 0;
  std::uint64_t all() const { return at_bound + over_time + uncontrolled; }
};

/// Those of one hunt, by run index.
class CutOffs {
 public:
  void add(std::uint64_t index, CutOff why, std::uint64_t steps) { runs_[index] = {why, steps}; }
  void clear() { runs_.clear(); }
  std::uint64_t size() const { return runs_.size(); }
  /// Up to run `last`. How many later ones there are depends on how far the workers were.
  CutOffRuns count(std::uint64_t last) const;

 private:
  struct Run {
    CutOff why;
    std::uint64_t steps;
  };
  std::map<std::uint64_t, Run> runs_;
};

}  // namespace heddle
