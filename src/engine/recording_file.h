// The file of a recording while the program runs: a regular file that belongs to one recording at a time.
#pragma once
#include <filesystem>

#include "src/result/result.h"

namespace heddle {

/// An empty file, opened and locked (flock) until its last descriptor is closed. Errors name the file: a device, pipe
/// or folder; in use by another recording; what cannot be written.
Result<int> claim_recording_file(const std::filesystem::path& file);

}  // namespace heddle
