// The log of a recording as the events and the schedule of a trace.
#pragma once
#include <functional>
#include <span>

#include "src/engine/execute.h"

namespace heddle {

/// Gives the steps that a recording left in `region` to `sink` as events, in blocks: those that a replay can get to.
/// Sets the schedule and the totals of `outcome`. Of what comes behind them only the places count in which other
/// threads had stopped (of a process that was killed: those in which they were): events at the end that are no points.
void convert_steps(const Region& region, RunOutcome& outcome,
                   const std::function<void(std::span<const HeddleEvent>)>& sink);

}  // namespace heddle
