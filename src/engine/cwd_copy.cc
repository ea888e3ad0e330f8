#include "src/engine/cwd_copy.h"

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace heddle {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kLimit = 1ull << 30;

Status copy_tree(const fs::path& from, const fs::path& to) {
  std::error_code problem;
  std::uintmax_t bytes = 0;
  for (auto entry = fs::recursive_directory_iterator(from, problem);
       !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
    fs::path target = to / entry->path().lexically_relative(from);
    if (entry->is_symlink()) {
      fs::copy_symlink(entry->path(), target, problem);
    } else if (entry->is_directory()) {
      fs::create_directory(target, entry->path(), problem);
    } else if (entry->is_regular_file()) {
      bytes += entry->file_size();
      if (bytes > kLimit) return error(fmt::format("{} is too large to copy for each run (over 1 GiB)", from.string()));
      fs::copy_file(entry->path(), target, problem);
    }
    if (problem) return error(fmt::format("cannot copy {}: {}", entry->path().string(), problem.message()));
  }
  if (problem) return error(fmt::format("cannot copy {}: {}", from.string(), problem.message()));
  return {};
}

}  // namespace

Result<TemporaryFolder> copy_cwd(const fs::path& from) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("run");
  if (!folder) return folder;
  if (Status copied = copy_tree(from, folder->path()); !copied) return std::unexpected(copied.error());
  return folder;
}

}  // namespace heddle
