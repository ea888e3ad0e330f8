// Did a second execution of a schedule end as the first did? What replay, hunt and simplify mean by "the same failure".
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "src/engine/execute.h"
#include "src/trace/trace.h"

namespace heddle {

/// Found by us from outside (or by a bound on steps), not by the program's own end.
bool was_cut_off(const FailureRecord& failure);

/// Did `again`, an execution of the schedule of `original`, end in the same way, with the same failure
/// (same_failure())? An execution
/// that we cut off (hang, time limit) has no end of its own: following it up to there without a divergence before is
/// all that can be asked.
bool same_ending(const std::optional<FailureRecord>& original, std::uint64_t original_steps, const RunOutcome& again);

/// How `again`, a strict execution of the schedule of `first`, which failed, is another one: "it did not fail".
/// Nothing: it took the same steps to the same end.
std::optional<std::string> difference(const RunOutcome& first, const RunOutcome& again);

}  // namespace heddle
