// The sentences around the columns: the answer, the threads, and the findings of a trace.
#pragma once
#include <string>
#include <string_view>

#include "src/show/survey.h"
#include "src/show/view.h"

namespace heddle {

/// How the run ended. kExited: with another status than 0 that is not taken for a failure.
enum class Outcome { kFailed, kOk, kExited, kKilled, kIncomplete };
Outcome outcome(const TraceReader& trace);
/// "failed": for --json and the page.
std::string_view token(Outcome outcome);
/// Switches and preemptions as the run counted them; of a trace without its end, as far as the events tell.
Totals totals(const TraceReader& trace, const SwitchCounter& counted);

/// The first line: the answer.
std::string answer(const TraceReader& trace, const ViewOptions& options);
/// Program, numbers, threads.
std::string overview(const TraceReader& trace, const Survey& survey, const ViewOptions& options);
/// Threads at the failure, deadlock, races, notes, the end of the output: short sections, each only when there is
/// something.
std::string findings(const TraceReader& trace, const ViewOptions& options);
/// False: there is no schedule in it, or the run itself noted that not all that a replay needs was recorded.
bool can_be_replayed(const TraceHead& head);
/// What to type next.
std::string next_step(const TraceReader& trace, const ViewOptions& options);

}  // namespace heddle
