#include "src/program/process_maps.h"

#include <cerrno>
#include <charconv>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/uio.h>
#include <unistd.h>

namespace heddle {
namespace {

/// Takes a number off the front of `line`, and the one character behind it.
bool take_number(std::string_view& line, int base, std::uint64_t& value) {
  const auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), value, base);
  if (failed != std::errc{} || end == line.data() + line.size()) return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  return true;
}

/// The kernel writes a line feed in a path as "\012", and nothing else in another way.
void restore_line_feeds(std::string& path) {
  for (std::size_t at = 0; (at = path.find("\\012", at)) != path.npos; ++at) path.replace(at, 4, "\n");
}

/// "55-56 r-xp 1000 fe:01 1234      /bin/true"
bool parse_line(std::string_view line, CodeMapping& m) {
  if (!take_number(line, 16, m.start) || !take_number(line, 16, m.end) || line.size() < 5) return false;
  const bool executable = line[2] == 'x';
  line.remove_prefix(5);
  if (!executable || !take_number(line, 16, m.offset)) return false;
  const auto device_end = line.find(' ');
  if (device_end == std::string_view::npos) return false;
  line.remove_prefix(device_end + 1);
  if (!take_number(line, 10, m.inode)) return false;
  const auto name = line.find_first_not_of(' ');
  if (name == std::string_view::npos) return false;
  line.remove_prefix(name);
  constexpr std::string_view kDeleted = " (deleted)";
  m.deleted = line.ends_with(kDeleted);
  if (m.deleted) line.remove_suffix(kDeleted.size());
  m.path = line;
  restore_line_feeds(m.path);
  return m.end > m.start && (m.path.starts_with('/') || m.path == "[vdso]");
}

}  // namespace

std::vector<CodeMapping> parse_maps(std::string_view text) {
  std::vector<CodeMapping> result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    CodeMapping m;
    if (parse_line(text.substr(0, end), m)) result.push_back(std::move(m));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

Result<std::vector<CodeMapping>> read_maps(pid_t pid) {
  const std::string path = fmt::format("/proc/{}/maps", pid);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::string text;
  char buffer[16384];
  ssize_t n = 0;
  while ((n = ::read(fd, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<std::size_t>(n));
  ::close(fd);
  if (text.empty()) return error(fmt::format("process {} has no memory left to look at", pid));
  return parse_maps(text);
}

namespace {

bool read_memory_file(pid_t pid, std::uint64_t address, void* to, std::size_t bytes) {
  const int fd = ::open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t n = ::pread(fd, to, bytes, static_cast<off_t>(address));
  ::close(fd);
  return n == static_cast<ssize_t>(bytes);
}

}  // namespace

bool read_memory(pid_t pid, std::uint64_t address, void* to, std::size_t bytes) {
  const iovec local{to, bytes};
  const iovec remote{reinterpret_cast<void*>(address), bytes};  // NOLINT: an address of another process
  const ssize_t n = ::process_vm_readv(pid, &local, 1, &remote, 1, 0);
  if (n >= 0 || errno == EFAULT || errno == ESRCH) return n == static_cast<ssize_t>(bytes);
  return read_memory_file(pid, address, to, bytes);  // a sandbox denies the system call, not the file
}

}  // namespace heddle
