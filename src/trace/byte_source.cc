#include "src/trace/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "src/trace/format.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxStream = 1u << 30;

/// Reads a pipe or device to its end, but stops at once when it does not begin like a trace (/dev/zero never ends).
std::string read_stream(int fd) {
  std::string bytes;
  char buffer[1 << 16];
  while (bytes.size() < kMaxStream) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    bytes.append(buffer, static_cast<std::size_t>(n));
    if (bytes.size() >= 8 && std::memcmp(bytes.data(), &format::kFileMagic, 8) != 0) break;
  }
  return bytes;
}

}  // namespace

Result<ByteSource> ByteSource::open(const std::filesystem::path& path) {
  const auto failed = [&](int code) {
    return error(fmt::format("cannot read {}: {}", path.string(), std::strerror(code)));
  };
  ByteSource source;
  source.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (source.fd_ < 0) return failed(errno);
  struct stat st{};
  if (::fstat(source.fd_, &st) != 0) return failed(errno);
  if (S_ISDIR(st.st_mode)) return failed(EISDIR);
  source.size_ = static_cast<std::uint64_t>(st.st_size);
  if (S_ISREG(st.st_mode)) return source;
  source.memory_ = read_stream(source.fd_);
  source.size_ = source.memory_.size();
  ::close(std::exchange(source.fd_, -1));
  return source;
}

ByteSource::ByteSource(std::span<const std::byte> bytes)
    : size_(bytes.size()), memory_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

ByteSource::ByteSource(ByteSource&& o) noexcept
    : fd_(std::exchange(o.fd_, -1)), size_(o.size_), memory_(std::move(o.memory_)) {}

ByteSource& ByteSource::operator=(ByteSource&& o) noexcept {
  std::swap(fd_, o.fd_);
  std::swap(size_, o.size_);
  std::swap(memory_, o.memory_);
  return *this;
}

ByteSource::~ByteSource() {
  if (fd_ >= 0) ::close(fd_);
}

std::size_t ByteSource::read(std::uint64_t offset, void* to, std::size_t n) const {
  if (offset >= size_) return 0;
  n = static_cast<std::size_t>(std::min<std::uint64_t>(n, size_ - offset));
  if (fd_ < 0) {
    std::memcpy(to, memory_.data() + offset, n);
    return n;
  }
  std::size_t done = 0;
  while (done < n) {
    const ssize_t got = ::pread(fd_, static_cast<char*>(to) + done, n - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace heddle
