// A recording whose host was killed: the file is the region itself, as the program filled it (abi/region.h).
#pragma once
#include <filesystem>

#include "src/result/result.h"
#include "src/seal/key.h"

namespace heddle {

/// Is this the raw file of a recording? Reads its first bytes only.
bool is_raw_recording(const std::filesystem::path& file);
/// Whether this user's heddle made it, here: it carries the seal of `key`, and is that file, not a copy.
bool is_own_recording(const std::filesystem::path& file, const SealKey& key);
/// Makes a trace of what is there. Errors: another version; nothing was recorded; what cannot be written.
Status recover_recording(const std::filesystem::path& file, const std::filesystem::path& trace);

}  // namespace heddle
