// Folders of ours below TMPDIR, which no kill leaves behind for good.
#pragma once
#include <filesystem>
#include <string_view>

#include "src/result/result.h"

namespace heddle {

/// Mode 0700, gone with this object. Locked (flock) as long as its process lives: what is not locked was left behind by
/// one that was killed, and remove_leftover_folders() removes it.
class TemporaryFolder {
 public:
  TemporaryFolder() = default;  // none
  /// heddle-`kind`-XXXXXX. Errors: what the system says.
  static Result<TemporaryFolder> create(std::string_view kind);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder() { remove(); }

  const std::filesystem::path& path() const { return path_; }  // empty: none
  void remove();
  /// It stays where it is.
  std::filesystem::path keep();

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

/// Folders and files of this user's below TMPDIR whose process is gone.
void remove_leftover_folders();

}  // namespace heddle
