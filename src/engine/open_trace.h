// A trace as the user names it: a finished one, or the file of a recording that was cut off.
#pragma once
#include <filesystem>

#include "src/trace/container.h"

namespace heddle {

Result<TraceReader> open_trace(const std::filesystem::path& path);

}  // namespace heddle
