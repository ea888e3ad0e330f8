// A run that a debugger drives (run.debugger): one process, no fork server, no host that waits for anything. Where such
// a run has something to say it calls heddle_debugger_stop(), on which the debugger's commands (src/gdb/heddle.py) keep
// a breakpoint.
#pragma once
#include "runtime/control/control.h"

namespace heddle::rt {

inline bool debugged() { return region->run.debugger != 0; }

/// Returns when the user goes on. Not on the idle thread.
void debugger_stop(HeddleStop reason);
void debugger_start();

/// On a thread that was just chosen, before it executes its step.
inline void debugger_at_step() {
  if (HEDDLE_UNLIKELY(control.steps == region->debugger.stop_at)) debugger_stop(HEDDLE_STOP_STEP);
}

}  // namespace heddle::rt
