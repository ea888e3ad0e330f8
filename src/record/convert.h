// The log of a recording as the events and the schedule of a trace.
#pragma once
#include <functional>
#include <span>

#include "src/engine/execute.h"

namespace heddle {

/// Meta::more: the recording was cut off; how the run would have ended is not known.
inline constexpr const char* kCutOff = "cut_off";

/// The steps that a replay can get to, of those that lie in `region`.
std::span<const HeddleStep> recorded_steps(const Region& region, const HeddleResult& result);
/// Gives the steps to `sink` as events, in blocks; sets the schedule and the totals of `outcome`.
void convert_steps(std::span<const HeddleStep> steps, RunOutcome& outcome,
                   const std::function<void(std::span<const HeddleEvent>)>& sink);

}  // namespace heddle
