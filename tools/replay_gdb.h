// heddle replay --gdb, and the way in for the gdb that it starts.
#pragma once
#include <string>

#include "src/engine/execute.h"
#include "src/engine/replay.h"

namespace heddle {

/// What the user debugs.
struct GdbSubject {
  const TraceReader& trace;
  const Replayer& replayer;
  std::string trace_path;
};

/// Runs gdb in the foreground until it ends; its exit status. `worker` knows the program: it is checked, and its ELF
/// file found.
int run_gdb(const GdbSubject& subject, const WorkerOptions& worker, const std::atomic<bool>& stop);

/// Of the exec wrapper of gdb: becomes the program. Returns an exit status if it cannot.
int start_under_gdb(const GdbSubject& subject, const WorkerOptions& worker);

}  // namespace heddle
