// From raw races to findings: variable, lines and both stacks.
#pragma once
#include <vector>

#include "src/hunt/hunt.h"
#include "src/trace/trace.h"

namespace heddle {

/// `outcome` (with evidence) is the execution that `race` was seen in.
RaceRecord race_record(const HeddleRace& race, const RunOutcome& outcome, Executor& executor);

/// Executes the first run of each race again with stacks; a race that this execution does not show again (or one beyond
/// the first 50) is dropped into `unconfirmed` by count: nothing is claimed that was not executed.
struct RaceFindings {
  std::vector<RaceRecord> races;
  std::size_t unconfirmed = 0;
};
RaceFindings confirm_races(const HuntRequest& request, const HuntResult& result, Executor& executor);

}  // namespace heddle
