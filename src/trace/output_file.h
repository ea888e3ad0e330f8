// A file that appears whole or not at all: written beside its destination under another name, renamed at the end.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "src/result/result.h"

namespace heddle {

/// All of `bytes`; 0, or the errno of what could not be written. A signal is outlasted once: where nothing can be
/// written between two of them (a pipe that nobody reads) the answer is EINTR.
int write_all(int fd, std::string_view bytes);

/// Move-only. Destroyed without commit(), it removes what it wrote. A destination that is a device, pipe or socket is
/// written directly: never renamed over, never removed. Symbolic links are followed.
class OutputFile {
 public:
  /// Errors: a directory, a missing or unwritable folder.
  static Result<OutputFile> create(const std::filesystem::path& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  /// Errors name the destination (full disk, I/O trouble, closed pipe; see write_all()).
  Status write(std::string_view bytes);
  /// Syncs and puts the file in its place.
  Status commit();
  const std::filesystem::path& path() const { return path_; }

 private:
  OutputFile() = default;
  void discard();
  std::unexpected<Error> failed(const char* what, int code) const;

  std::filesystem::path path_;  // as the user gave it
  std::string target_;          // with links resolved
  std::string temporary_;       // empty: written directly
  int fd_ = -1;
};

}  // namespace heddle
