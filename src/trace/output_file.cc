#include "src/trace/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace heddle {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPart = ".heddle-part-";  // of a file that is being written, where it needs a name for that

/// What processes that were killed left of `target`.
void remove_parts(const fs::path& target) {
  const std::string start = target.filename().string() + std::string(kPart);
  std::error_code failed;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  for (auto entry = fs::directory_iterator(folder, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    if (!entry->path().filename().string().starts_with(start)) continue;
    const int fd = ::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
    if (fd >= 0) ::close(fd);
  }
}

}  // namespace

Result<OutputFile> OutputFile::create(const fs::path& path, FileMode mode) {
  OutputFile file;
  file.path_ = path;
  if (path.empty()) return error("the name of the trace to write is empty");
  std::error_code ec;
  fs::path target = fs::weakly_canonical(path, ec);
  file.target_ = ec || target.empty() ? path.string() : target.string();

  struct stat st{};
  if (::stat(path.c_str(), &st) == 0) {
    if (S_ISDIR(st.st_mode)) return error(fmt::format("cannot write {}: it is a directory", path.string()));
    if (!S_ISREG(st.st_mode)) {
      file.fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
      if (file.fd_ < 0) return file.failed("open", errno);
      return file;
    }
  }
  remove_parts(file.target_);
  file.open_temporary(mode);
  if (file.fd_ < 0) return file.failed("write", errno);
  return file;
}

void OutputFile::open_temporary(FileMode mode) {
  const fs::path folder = fs::path(target_).has_parent_path() ? fs::path(target_).parent_path() : fs::path(".");
  if (::access("/proc/self/fd", X_OK) == 0)  // by which it gets its name
    fd_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  unnamed_ = fd_ >= 0;
  if (!unnamed_) {
    std::string name = target_ + std::string(kPart) + "XXXXXX";
    fd_ = ::mkostemp(name.data(), O_CLOEXEC);  // 0600
    if (fd_ < 0) return;
    ::flock(fd_, LOCK_EX | LOCK_NB);  // as long as we live
    temporary_ = name;
  }
  if (mode == FileMode::kPrivate) return;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd_, 0666 & ~mask);
}

/// 0 or errno.
int OutputFile::place() {
  if (unnamed_) {
    const std::string own = fmt::format("/proc/self/fd/{}", fd_);
    ::flock(fd_, LOCK_EX | LOCK_NB);
    if (::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0) return 0;
    if (errno != EEXIST) return errno;
    for (std::uint32_t number = 0; temporary_.empty();) {  // a file is replaced by renaming, which needs a name
      if (::getrandom(&number, sizeof number, 0) < 0) return errno;
      std::string name = fmt::format("{}{}{:08x}", target_, kPart, number);
      if (::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
        temporary_ = std::move(name);
      else if (errno != EEXIST)
        return errno;
    }
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return errno;
  temporary_.clear();
  return 0;
}

OutputFile::OutputFile(OutputFile&& o) noexcept
    : path_(std::move(o.path_)),
      target_(std::move(o.target_)),
      temporary_(std::exchange(o.temporary_, {})),
      unnamed_(o.unnamed_),
      fd_(std::exchange(o.fd_, -1)) {}

OutputFile& OutputFile::operator=(OutputFile&& o) noexcept {
  std::swap(path_, o.path_);
  std::swap(target_, o.target_);
  std::swap(temporary_, o.temporary_);
  std::swap(unnamed_, o.unnamed_);
  std::swap(fd_, o.fd_);
  return *this;
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  if (!temporary_.empty()) ::unlink(std::exchange(temporary_, {}).c_str());
}

std::unexpected<Error> OutputFile::failed(const char* what, int code) const {
  std::string advice;
  if (code == ENOSPC || code == EDQUOT) advice = "free some space, or choose another place with -o";
  return error(fmt::format("cannot {} {}: {}", what, path_.string(), std::strerror(code)), advice);
}

int write_all(int fd, std::string_view bytes) {
  for (int interrupts = 0; !bytes.empty();) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR && ++interrupts < 2) continue;
    if (n <= 0) return n == 0 ? ENOSPC : errno;
    bytes.remove_prefix(static_cast<std::size_t>(n));
    interrupts = 0;
  }
  return 0;
}

Status OutputFile::write(std::string_view bytes) {
  if (fd_ < 0) return failed("write", EBADF);
  if (const int code = write_all(fd_, bytes)) {
    discard();
    return failed("write", code);
  }
  return {};
}

Status OutputFile::commit() {
  if (fd_ < 0) return failed("write", EBADF);
  // Pipes and devices cannot be synced; what a file system has no room for may only show here.
  if (::fsync(fd_) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS) {
    const int code = errno;
    discard();
    return failed("write", code);
  }
  if (const int code = unnamed_ || !temporary_.empty() ? place() : 0) {
    discard();
    return failed("write", code);
  }
  if (::close(std::exchange(fd_, -1)) != 0) return failed("write", errno);
  return {};
}

}  // namespace heddle
