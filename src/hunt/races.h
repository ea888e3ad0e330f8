// From raw races to findings: variable, lines and both stacks.
#pragma once
#include <vector>

#include "src/hunt/hunt.h"
#include "src/trace/trace.h"

namespace heddle {

/// `outcome` (with evidence) is the execution that `race` was seen in.
RaceRecord race_record(const HeddleRace& race, const RunOutcome& outcome, Executor& executor);

/// Executes the first run of each race again with stacks. A race that this execution does not show again is only
/// counted: nothing is claimed that was not executed.
struct RaceFindings {
  std::vector<RaceRecord> races;
  std::vector<std::uint64_t> runs;  // by race: the run that shows it
  std::size_t unconfirmed = 0;      // executed again, and not seen
  std::size_t not_tried = 0;        // beyond the first 50, or the user interrupted, or the time was used up
  bool interrupted = false;
  bool out_of_time = false;  // 10 s beyond the time of the hunt
};
/// Until `request.worker.stop` is set. `longest`: instead of what is left of the hunt's time and 10 s.
RaceFindings confirm_races(const HuntRequest& request, const HuntResult& result, Executor& executor,
                           std::optional<std::chrono::milliseconds> longest = std::nullopt);

}  // namespace heddle
