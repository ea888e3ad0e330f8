// The trace of a found failure: the failing run executed again from its choices and inputs, with more detail.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "src/engine/time_limit.h"
#include "src/hunt/hunt.h"
#include "src/trace/trace.h"

namespace heddle {

struct Witness {
  TraceHead head;              // as written
  bool confirmed = false;      // the second execution failed in the same way
  bool interrupted = false;    // before it could, by the user or the time: nothing is known about the program
  bool out_of_time = false;    // by the time
  std::string difference;      // how it did not, in one clause
  std::optional<Error> error;  // why there is no second execution, which says nothing about the program either
};

/// Writes the trace of `failing`, one of `result`'s, to `path`. `meta` names program and launch; what the run decides
/// is filled in here. `limit` ends the second execution. When that differs, or could not be made (no time, the program
/// does not start any more), the trace has the first one's schedule and inputs, but no events. Errors: I/O.
Result<Witness> write_witness(const HuntRequest& request, const HuntResult& result, const FailingRun& failing,
                              Meta meta, std::vector<RaceRecord> races, const std::filesystem::path& path,
                              Executor& executor, const TimeLimit& limit);

/// The trace of run `index`, which showed `races` and did not fail: executed again as it was planned, with detail.
/// Errors: as above, or that execution did not end like the first.
Result<TraceHead> write_race_trace(const HuntRequest& request, const HuntResult& result, std::uint64_t index, Meta meta,
                                   std::vector<RaceRecord> races, const std::filesystem::path& path,
                                   Executor& executor);

/// The same without an execution, from what the hunt kept of run `index` (one of `result.race_runs`): schedule and
/// inputs, no events. `why` is a note in it: why the run was not executed again.
Result<TraceHead> write_seen_race_trace(const HuntRequest& request, const HuntResult& result, std::uint64_t index,
                                        Meta meta, std::vector<RaceRecord> races, std::string why,
                                        const std::filesystem::path& path, Executor& executor);

}  // namespace heddle
