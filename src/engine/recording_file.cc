#include "src/engine/recording_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/engine/descriptor.h"

namespace heddle {
namespace {

constexpr const char* kElsewhere = "choose another place with -o";

// A name below these is a device or a stream of ours, even where the shell has put a regular file behind it.
bool names_a_device(const std::filesystem::path& file) {
  std::error_code none;
  const std::string name = std::filesystem::absolute(file, none).lexically_normal().string();
  return name.starts_with("/proc/") || (name.starts_with("/dev/") && !name.starts_with("/dev/shm/"));
}

}  // namespace

Result<int> claim_recording_file(const std::filesystem::path& file) {
  const auto refused = [&](const char* why) {
    return error(fmt::format("cannot write {}: {}", file.string(), why), kElsewhere);
  };
  struct stat ours {
  }, named{};
  if (names_a_device(file) || (stat(file.c_str(), &named) == 0 && !S_ISREG(named.st_mode)))
    return refused("a recording needs a regular file");
  for (;;) {
    Descriptor opened(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
    if (opened.get() < 0 || fstat(opened.get(), &ours) != 0) return refused(std::strerror(errno));
    if (flock(opened.get(), LOCK_EX | LOCK_NB) != 0)
      return refused(errno == EWOULDBLOCK ? "it is in use by another recording" : std::strerror(errno));
    // The recording that had it may have put its finished trace in its place meanwhile.
    if (stat(file.c_str(), &named) != 0 || named.st_dev != ours.st_dev || named.st_ino != ours.st_ino) continue;
    // What it held before may have been for everybody; a recording has the program's environment and inputs.
    if (fchmod(opened.get(), 0600) != 0 || ftruncate(opened.get(), 0) != 0) return refused(std::strerror(errno));
    return opened.release();
  }
}

}  // namespace heddle
