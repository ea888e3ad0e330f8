// Whose trace is it? A trace says which program is executed, with which arguments, environment and inputs: one that
// this user did not make on this machine is executed only if the user says so (docs/security.md).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/engine/replay.h"
#include "src/result/result.h"
#include "src/seal/key.h"
#include "src/trace/container.h"

namespace heddle {

/// This user made it, on this machine, and nothing in it was changed since.
bool is_own_trace(const TraceReader& trace, const std::string& path);

Origin origin_of(const TraceReader& trace, const std::string& path, bool trust);

/// The key that new traces are sealed with; it is made if there is none. Without one (no home, a read-only one, a key
/// that others can read) traces are written without a seal, and stderr says why once.
std::optional<SealKey> key_for_new_traces();

struct TrustRequest {
  std::string verb, trace;           // for the message: what to type
  bool trust = false;                // --trust
  std::vector<std::string> program;  // behind --; empty: what the trace names
};

/// Error: the trace is somebody else's (or cannot be told from one), and neither --trust nor a program was given; or
/// the arguments behind -- PROG are not those of the trace.
Status may_be_executed(const TraceReader& trace, const TrustRequest& request);

}  // namespace heddle
