// The user's key: 32 random bytes in a file that only this user can read. Whoever has it can make traces that this
// user's heddle executes without a question.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>

#include "src/result/result.h"

namespace heddle {

using SealKey = std::array<std::uint8_t, 32>;

/// The key in `file`. Errors: it is not there; it is no regular file of this user's, others may read it (a key that
/// others know proves nothing), or it has another size. The advice says what to do.
Result<SealKey> read_key(const std::filesystem::path& file);
/// The same, but a missing key is made: atomically, so that of two that make one at the same time both get the same.
Result<SealKey> read_or_make_key(const std::filesystem::path& file);

}  // namespace heddle
