// A file that appears whole or not at all: written without a name (where the file system can do that, so that a kill
// leaves nothing behind) or beside its destination under another name, and put in its place at the end.
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

/// Who may read a file: what contains a program's data is private; what the user asks for to hand on is shared.
enum class FileMode {
  kShared,   // as the umask says
  kPrivate,  // 0600
};

/// Move-only. Destroyed without commit(), it removes what it wrote. A destination that is a device, pipe or socket is
/// written directly: never renamed over, never removed. Symbolic links are followed.
class OutputFile {
 public:
  /// Errors: a directory, a missing or unwritable folder.
  static Result<OutputFile> create(const std::filesystem::path& path, FileMode mode = FileMode::kShared);
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
  void open_temporary(FileMode mode);
  int place();
  std::unexpected<Error> failed(const char* what, int code) const;

  std::filesystem::path path_;  // as the user gave it
  std::string target_;          // with links resolved
  std::string temporary_;       // the name that it has until commit(); empty: none, or written directly
  bool unnamed_ = false;        // O_TMPFILE
  int fd_ = -1;
};

}  // namespace heddle
