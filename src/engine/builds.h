// Which builds of its instrumented libraries a trace was made with: their sites are part of the schedule.
#pragma once
#include <filesystem>
#include <vector>

#include <sys/types.h>

#include "abi/region.h"
#include "src/result/result.h"
#include "src/trace/trace.h"

namespace heddle {

/// Adds `module:PATH` = build-id to meta.more for each of `modules` but `executable`. One that cannot be read is left
/// out.
void record_builds(Meta& meta, const std::vector<HeddleModuleInfo>& modules, const std::filesystem::path& executable);

/// Error: a library of the trace, as `server` has mapped it (one loaded later: as it lies at its recorded path), is
/// another build. What is neither mapped nor there is not judged: it may never be loaded.
Status check_builds(const Meta& meta, pid_t server);

}  // namespace heddle
