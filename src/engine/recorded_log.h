// The log of a recording as the events and the schedule of a trace.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "src/engine/execute.h"

namespace heddle {

/// What a recording left in `region`.
struct RecordedLog {
  std::span<const HeddleStep> steps;  // those that a replay can get to
  std::vector<HeddleStep> beyond;  // those behind them; of a process that was killed the places where its threads were
};
RecordedLog recorded_log(const Region& region, const HeddleResult& result);

/// Gives the steps to `sink` as events, in blocks; sets the schedule and the totals of `outcome`. Of the steps beyond
/// only the places count in which other threads had stopped: events at the end that are no points.
void convert_steps(const RecordedLog& log, RunOutcome& outcome,
                   const std::function<void(std::span<const HeddleEvent>)>& sink);

}  // namespace heddle
