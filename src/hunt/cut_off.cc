#include "src/hunt/cut_off.h"

#include <algorithm>

#include "abi/cut_off.h"

namespace heddle {

std::optional<CutOff> cut_off(const RunOutcome& outcome) {
  if (outcome.end == RunEnd::kTimeout) return CutOff::kTime;
  if (outcome.cut_off() & HEDDLE_CUT_OFF_STEPS) return CutOff::kSteps;
  if (outcome.cut_off()) return CutOff::kUncontrolled;
  return std::nullopt;
}

CutOffRuns CutOffs::count(std::uint64_t last) const {
  CutOffRuns out;
  for (const auto& [index, run] : runs_) {
    if (index > last) break;
    switch (run.why) {
      case CutOff::kSteps:
        out.at_bound++;
        out.steps = std::max(out.steps, run.steps);
        break;
      case CutOff::kTime: out.over_time++; break;
      case CutOff::kUncontrolled: out.uncontrolled++; break;
    }
  }
  return out;
}

}  // namespace heddle
