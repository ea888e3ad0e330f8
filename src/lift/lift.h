// A recording, executed once more under control, as an ordinary trace: with accesses, values, lines and stacks, and
// with a schedule of points, so that it can be simplified and shown like what a hunt has found.
#pragma once
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

#include "src/engine/execute.h"
#include "src/engine/replay.h"
#include "src/trace/container.h"

namespace heddle {

struct LiftLimits {
  std::uint64_t most_events = 50'000'000;  // accesses and steps of the recording
  const std::atomic<bool>* stop = nullptr;  // set: give up
};

struct Lifted {
  TraceHead head;
  std::uint64_t racy_sites = 0;
  int executions = 0;
};

/// Why a trace cannot be lifted, whatever its program does; an empty message: it can.
Error why_not_lifted(const TraceReader& trace);

/// `replayer` and `executor` are of `recording`. Writes `path`. Errors: the replay diverged, the recording is longer
/// than the limit, or its steps cannot be brought into an order of points that ends in the same way.
Result<Lifted> lift(const TraceReader& recording, const Replayer& replayer, Executor& executor,
                    const LiftLimits& limits, const std::filesystem::path& path);

}  // namespace heddle
