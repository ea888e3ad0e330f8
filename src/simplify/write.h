// The trace of a simplified execution: executed once more, strictly and with detail, before anything is written.
#pragma once
#include <filesystem>

#include "src/simplify/trial.h"
#include "src/trace/trace.h"

namespace heddle {

/// Writes what `best` did to `path`, as a trace that `heddle replay` follows. `original` gives program and launch.
/// Errors: the strict replay did not end as the trial did (then nothing is written), or I/O.
Result<TraceHead> write_simplified(const Trials& trials, const Trial& best, const FailureConditions& conditions,
                                   const TraceHead& original, const std::filesystem::path& path, Executor& executor);

}  // namespace heddle
