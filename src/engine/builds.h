// Which builds of its instrumented libraries a trace was made with: their sites are part of the schedule. And which
// program really ran when a wrapper script was named.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "abi/region.h"
#include "src/result/result.h"
#include "src/trace/trace.h"

namespace heddle {

/// Adds `module:PATH` = build-id to meta.more for each of `modules` but `executable`. One that cannot be read is left
/// out.
void record_builds(Meta& meta, const std::vector<HeddleModuleInfo>& modules, const std::filesystem::path& executable);

/// How a wrapper script started the program that is `server`: its path, build-id, arguments, environment and folder, as
/// `elf*` in meta.more. Nothing, when the named program is the one that runs.
void record_started_program(Meta& meta, pid_t server, const std::filesystem::path& executable);

struct StartedProgram {
  std::string build_id;
  std::vector<std::string> argv, environment;  // empty: not recorded
  std::filesystem::path cwd;
};
/// What record_started_program noted; nullopt: the trace was not made through a wrapper script.
std::optional<StartedProgram> started_program(const Meta& meta);

/// When `executable` and the libraries of the trace were written: the last of these times; nullopt: none can be seen.
std::optional<std::filesystem::file_time_type> time_of_build(const Meta& meta, const std::filesystem::path& executable);

/// Error: a library of the trace, as `server` has mapped it (one loaded later: as it lies at its recorded path), is
/// another build. What is neither mapped nor there is not judged: it may never be loaded.
Status check_builds(const Meta& meta, pid_t server);

}  // namespace heddle
