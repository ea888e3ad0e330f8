#include "runtime/control/debugger.h"

// Its address is in the region: programs without symbols have it too.
extern "C" __attribute__((noinline, used)) void heddle_debugger_stop(uint32_t) { __asm__ volatile("" ::: "memory"); }

namespace heddle::rt {

void debugger_stop(HeddleStop reason) {
  if (!debugged()) return;
  region->debugger.reason = reason;
  heddle_debugger_stop(reason);
}

void debugger_start() { region->debugger.stop_function = (uint64_t)heddle_debugger_stop; }

}  // namespace heddle::rt
