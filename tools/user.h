// The user of this process: environment, home, key.
#pragma once
#include <optional>

#include "src/engine/user.h"

namespace heddle {

User current_user();

/// The key that new traces are sealed with; it is made if there is none. Without one (no home, a read-only one, a key
/// that others can read) traces are written without a seal, and stderr says why once.
std::optional<SealKey> key_for_new_traces();

}  // namespace heddle
