// Whose trace is it? A trace says which program is executed, with which arguments, environment and inputs: one that
// this user did not make on this machine is executed only if the user says so (docs/security.md).
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "src/result/result.h"
#include "src/seal/key.h"
#include "src/trace/container.h"

namespace heddle {

/// The key in `key_file` (User::key_file); `make`: a new one if there is none. Errors: there is no place for it, others
/// can read it, I/O.
Result<SealKey> key_in(const std::filesystem::path& key_file, bool make);

/// The user of that key made it, on this machine, and nothing in it was changed since.
bool is_own_trace(const TraceReader& trace, const std::string& path, const std::filesystem::path& key_file);

struct TrustRequest {
  std::string verb, trace;             // for the message: what to type
  bool trust = false;                  // --trust
  std::vector<std::string> program;    // behind --; empty: what the trace names
  const std::filesystem::path& key_file;
};

/// Error: the trace is somebody else's (or cannot be told from one), and neither --trust nor a program was given; or
/// the arguments behind -- PROG are not those of the trace.
Status may_be_executed(const TraceReader& trace, const TrustRequest& request);

}  // namespace heddle
