// heddle replay --gdb, and the way in for the gdb that it starts.
#pragma once
#include <atomic>
#include <string>

#include "src/engine/session.h"

namespace heddle {

/// Runs gdb in the foreground until it ends; its exit status. The program of `session`, of the trace `trace`, is
/// checked first, and its ELF file found.
int run_gdb(Session& session, const std::string& trace, const std::atomic<bool>& stop);

/// Of the exec wrapper of gdb: becomes the program. Returns an exit status if it cannot.
int start_under_gdb(Session& session);

}  // namespace heddle
