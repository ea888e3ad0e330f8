#include "src/trace/temporary_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace heddle {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kStart = "heddle-", kRandom = "XXXXXX";
constexpr std::string_view kKinds[] = {"run", "gdb", "doctor", "trace"};

fs::path base_folder() {
  std::error_code failed;
  const fs::path folder = fs::temp_directory_path(failed);
  return failed ? fs::path("/tmp") : folder;
}

/// "heddle-run-a1B2c3"
bool is_ours(std::string_view name) {
  if (!name.starts_with(kStart)) return false;
  name.remove_prefix(kStart.size());
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos || name.size() - dash - 1 != kRandom.size()) return false;
  return std::ranges::find(kKinds, name.substr(0, dash)) != std::end(kKinds) &&
         std::ranges::all_of(name.substr(dash + 1), [](unsigned char c) { return std::isalnum(c) != 0; });
}

/// The lock, which ends with the process; -1: somebody has it, or it is not a folder of this user's.
int lock(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat opened{}, named{};
  if (fd >= 0 && ::fstat(fd, &opened) == 0 && opened.st_uid == ::geteuid() && ::flock(fd, LOCK_EX | LOCK_NB) == 0 &&
      ::lstat(folder.c_str(), &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev)
    return fd;
  if (fd >= 0) ::close(fd);
  return -1;
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::create(std::string_view kind) {
  const fs::path base = base_folder();
  for (int attempt = 0; attempt < 100; attempt++) {
    std::string name = (base / fmt::format("{}{}-{}", kStart, kind, kRandom)).string();
    if (!::mkdtemp(name.data())) break;
    TemporaryFolder out;
    out.lock_ = lock(name);
    if (out.lock_ < 0) continue;  // one that was starting took it for a leftover
    out.path_ = name;
    return out;
  }
  return error(fmt::format("cannot make a folder in {}: {}", base.string(), std::strerror(errno)),
               "choose another place with TMPDIR");
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

void TemporaryFolder::remove() {
  std::error_code failed;
  if (!path_.empty()) fs::remove_all(path_, failed);
  keep();
}

fs::path TemporaryFolder::keep() {
  if (lock_ >= 0) ::close(std::exchange(lock_, -1));
  return std::exchange(path_, {});
}

void remove_leftover_folders() {
  std::error_code failed;
  for (auto entry = fs::directory_iterator(base_folder(), failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    if (!is_ours(entry->path().filename().string())) continue;
    const int fd = lock(entry->path());
    if (fd < 0) continue;
    std::error_code ignored;
    fs::remove_all(entry->path(), ignored);
    ::close(fd);
  }
}

}  // namespace heddle
