// `heddle replay --gdb`: a gdb session in which threads move only as recorded.
//
//   heddle replay --gdb T --> gdb PROG, with heddle.py --exec-wrapper--> heddle (start_program) --exec--> the program
//                                  |                                                                       |
//                                  +-- reads the session folder; reads and writes HeddleDebugger ----------+
//
// Each `run` of gdb starts the program anew with a region of its own: going back is running again.
#pragma once
#include <filesystem>

#include "src/engine/replay.h"
#include "src/result/result.h"

namespace heddle {

/// What heddle.py needs to know, in `folder`: session.json and steps.txt (a line per step).
struct SessionPlan {
  std::filesystem::path folder, trace, program, heddle;
};
Status write_session(const TraceReader& trace, const Replayer& replayer, const SessionPlan& plan);

/// This process becomes the program of the trace, at its recorded start, to be driven by the debugger that traces it.
/// `stop_at`: the step at which it stops by itself, 0: none. Returns only if it cannot.
Error start_program(const Replayer& replayer, const Launch& launch, const StandardStreams& streams,
                    std::uint64_t stop_at);

}  // namespace heddle
