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
  std::size_t not_tried = 0;        // beyond the first 50, or `stop` was set
  bool stopped = false;             // `stop` was set before all was done ...
  bool out_of_time = false;         // ... by the time, not by the user (filled in by who set it)
  std::vector<RaceRecord>
      seen_once;  // of those not tried: as the run showed them that the hunt executed, without stacks
  std::vector<std::uint64_t> seen_in;      // by race of `seen_once`: that run
};
/// Until `request.worker.stop` is set, which has to end the executor's runs, too.
RaceFindings confirm_races(const HuntRequest& request, const HuntResult& result, Executor& executor);

}  // namespace heddle
