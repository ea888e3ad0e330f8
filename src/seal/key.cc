#include "src/seal/key.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace heddle {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> failed(const char* what, const fs::path& file, int code) {
  return error(fmt::format("cannot {} {}: {}", what, file.string(), std::strerror(code)));
}

std::unexpected<Error> unusable(const fs::path& file, const char* why) {
  return error(fmt::format("the key {} cannot be used: {}", file.string(), why),
               "remove it; the next trace makes a new one, and older traces then need --trust");
}

/// Nothing: there is no file.
Result<std::optional<SealKey>> read_if_there(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (fd < 0) return failed("read", file, errno);
  struct stat st{};
  SealKey key{};
  const bool known = ::fstat(fd, &st) == 0;
  const ssize_t got = known && S_ISREG(st.st_mode) ? ::read(fd, key.data(), key.size()) : -1;
  ::close(fd);
  if (!known || !S_ISREG(st.st_mode)) return unusable(file, "it is not a regular file");
  if (st.st_uid != ::geteuid()) return unusable(file, "it belongs to another user");
  if ((st.st_mode & 077) != 0) return unusable(file, "its mode gives other users access (0600 is required)");
  if (st.st_size != static_cast<off_t>(key.size()) || got != static_cast<ssize_t>(key.size()))
    return unusable(file, "it is not 32 bytes long");
  return key;
}

/// A new key under a name of its own, then linked: link() never replaces a key that somebody else made meanwhile.
Status make(const fs::path& file) {
  std::error_code ec;
  fs::create_directories(file.parent_path().parent_path(), ec);
  if (::mkdir(file.parent_path().c_str(), 0700) != 0 && errno != EEXIST)
    return failed("make the folder", file.parent_path(), errno);
  SealKey key{};
  if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size()))
    return failed("get random bytes for", file, errno);
  std::string name = file.string() + ".XXXXXX";
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);  // mode 0600
  if (fd < 0) return failed("write", file, errno);
  const bool whole = ::write(fd, key.data(), key.size()) == static_cast<ssize_t>(key.size()) && ::fsync(fd) == 0;
  int code = errno;
  ::close(fd);
  const bool linked = whole && (::link(name.c_str(), file.c_str()) == 0 || errno == EEXIST);
  if (whole && !linked) code = errno;
  ::unlink(name.c_str());  // a kill before this leaves random bytes that are nobody's key
  return linked ? Status{} : failed("write", file, code);
}

}  // namespace

Result<SealKey> read_key(const fs::path& file) {
  auto key = read_if_there(file);
  if (!key) return std::unexpected(key.error());
  if (!*key) return error(fmt::format("there is no key {}", file.string()));
  return **key;
}

Result<SealKey> read_or_make_key(const fs::path& file) {
  auto key = read_if_there(file);
  if (!key) return std::unexpected(key.error());
  if (*key) return **key;
  if (Status made = make(file); !made) return std::unexpected(made.error());
  return read_key(file);
}

}  // namespace heddle
