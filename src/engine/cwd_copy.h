// A fresh copy of a folder for one run, so that what one run writes is not there in the next.
#pragma once
#include <filesystem>

#include "src/result/result.h"
#include "src/trace/temporary_folder.h"

namespace heddle {

/// Copies files, folders and symbolic links; devices, sockets and fifos are left out. Errors: unreadable, over 1 GiB.
Result<TemporaryFolder> copy_cwd(const std::filesystem::path& from);

}  // namespace heddle
