// Places in files, as SARIF names them.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "src/trace/trace.h"

namespace heddle {

inline constexpr const char* kSourceRoot = "SRCROOT";

/// Percent-encoded, byte by byte: any file name gives a valid URI.
std::string uri_path(std::string_view path);
/// "file:///tmp/a%20b/"; a folder ends with a slash.
std::string folder_uri(const std::filesystem::path& folder);

class Locations {
 public:
  /// Relative names are below `cwd`; what lies below `root` is named relative to it.
  Locations(std::filesystem::path cwd, std::filesystem::path root) : cwd_(std::move(cwd)), root_(std::move(root)) {}

  nlohmann::ordered_json artifact(std::string_view file) const;
  /// A `location` object; without a file it has only the function, without that only the message.
  nlohmann::ordered_json location(std::string_view file, std::uint32_t line, std::string_view function,
                                  std::string_view message = {}) const;
  nlohmann::ordered_json location(const Frame& frame, std::string_view message = {}) const;
  /// A `stack` object: the user's frames, innermost first. Null when there are none.
  nlohmann::ordered_json stack(const Stack& stack, std::string_view message) const;

 private:
  std::filesystem::path cwd_, root_;
};

}  // namespace heddle
