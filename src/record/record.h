// One parallel run of the program, recorded: the log of its steps and inputs becomes a trace that replays under
// control.
#pragma once
#include <atomic>
#include <filesystem>
#include <optional>

#include "src/engine/execute.h"
#include "src/engine/options.h"
#include "src/result/result.h"
#include "src/trace/trace.h"

namespace heddle {

struct RecordRequest {
  WorkerOptions worker;          // launch, streams; its region lies in `trace` while the program runs
  Options options;
  std::filesystem::path trace;
  /// Set from anywhere: bit N-1 sends signal N to the program if it handles it. Null: heddle inherited none as ignored.
  std::atomic<std::uint64_t>* signals_if_handled = nullptr;
};

struct Recorded {
  TraceHead head;
  RunOutcome outcome;
  double seconds = 0;
  std::filesystem::path program;     // what was recorded: behind a script another one than was named
  std::optional<int> script_status;  // wait status of the script or launcher that had started the program
};

/// `meta` says what is run. The trace file is readable at every moment, whoever is killed.
Result<Recorded> record(const RecordRequest& request, Meta meta);

}  // namespace heddle
