// The user's source text, where it is still there. Paths come from an untrusted trace: only regular files of a sane
// size, and only where SourceRights allow it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/show/view.h"

namespace heddle {

class SourceFiles {
 public:
  /// Relative paths are looked up in `folder` (the working directory of the run).
  SourceFiles(std::string folder, std::optional<std::filesystem::file_time_type> written, SourceRights rights);
  /// Text of a line (from 1) without indentation; empty when the file or the line is not there. Valid as long as this.
  std::string_view line(std::string_view file, std::uint32_t number);
  /// The same with its indentation.
  std::string_view indented(std::string_view file, std::uint32_t number);
  /// Whether `file` was used and is newer than the time given.
  bool is_changed(std::string_view file) const;
  /// Files that were used and are newer than the trace: their text may not be what was executed.
  const std::vector<std::string>& changed() const { return changed_; }

 private:
  struct File {
    std::string text;
    std::vector<std::string_view> lines;
    bool changed = false;
  };
  const File& load(std::string_view file);
  /// Where the text of `named` is to be read; empty: nowhere, or it may not be read.
  std::filesystem::path allowed(const std::filesystem::path& named) const;
  bool read(const std::filesystem::path& path, File& file);

  std::string folder_;
  SourceRights rights_;
  std::optional<std::filesystem::file_time_type> written_;
  std::unordered_map<std::string, File> files_;
  std::vector<std::string> changed_;
};

}  // namespace heddle
