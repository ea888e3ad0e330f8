// What hunt and record say of a run before it begins.
#pragma once
#include <filesystem>
#include <string>

#include "src/engine/launch.h"
#include "src/program/program.h"
#include "src/trace/trace.h"

namespace heddle {

/// 2026-11-16T10:00:00Z
std::string utc_now();

/// Program, arguments, environment, machine, date.
Meta describe_run(const ProgramInfo& program, const Launch& launch);

/// `trace`, or NAME.2.heddle, NAME.3.heddle ... beside it: a file that does not exist yet, nor what simplification
/// makes of it. For names that the user did not choose.
std::filesystem::path unused_trace(const std::filesystem::path& trace);

/// Found out before the work, not behind it.
Status can_be_written(const std::filesystem::path& trace);

}  // namespace heddle
