// A recording whose host was killed: the file is the region itself, as the program filled it (abi/region.h).
#pragma once
#include <filesystem>

#include "src/result/result.h"

namespace heddle {

/// Is this the raw file of a recording? Reads its first bytes only.
bool is_raw_recording(const std::filesystem::path& file);
/// Makes a trace of what is there. Errors: another version; nothing was recorded; what cannot be written.
Status recover_recording(const std::filesystem::path& file, const std::filesystem::path& trace);

}  // namespace heddle
