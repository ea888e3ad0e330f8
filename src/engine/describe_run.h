// What hunt and record say of a run before it begins.
#pragma once
#include <string>

#include "src/engine/launch.h"
#include "src/program/program.h"
#include "src/trace/trace.h"

namespace heddle {

/// 2026-11-16T10:00:00Z
std::string utc_now();

/// Program, arguments, environment, machine, date.
Meta describe_run(const ProgramInfo& program, const Launch& launch, std::string heddle_version);

}  // namespace heddle
