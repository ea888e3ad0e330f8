// Where a new trace goes.
#pragma once
#include <filesystem>

#include "src/result/result.h"

namespace heddle {

/// `trace`, or NAME.2.heddle, NAME.3.heddle ... beside it: a file that does not exist yet, nor what simplification
/// makes of it. For names that the user did not choose.
std::filesystem::path unused_trace(const std::filesystem::path& trace);

/// Found out before the work, not behind it.
Status can_be_written(const std::filesystem::path& trace);

}  // namespace heddle
