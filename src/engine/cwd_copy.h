// A fresh copy of a folder for one run, so that what one run writes is not there in the next.
#pragma once
#include <filesystem>

#include "src/result/result.h"

namespace heddle {

/// Copies files, folders and symbolic links; devices, sockets and fifos are left out. Errors: unreadable, over 1 GiB.
Result<std::filesystem::path> copy_cwd(const std::filesystem::path& from);
/// Nothing to do for an empty path.
void remove_cwd_copy(const std::filesystem::path& copy);

}  // namespace heddle
