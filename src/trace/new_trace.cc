#include "src/trace/new_trace.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

namespace heddle {

std::filesystem::path unused_trace(const std::filesystem::path& trace) {
  std::error_code none;
  const auto named = [&](const std::string& end) {
    std::filesystem::path path = trace;
    return path.replace_filename(trace.stem().string() + end + trace.extension().string());
  };
  const auto exists = [&](const std::filesystem::path& path) {
    return std::filesystem::exists(std::filesystem::symlink_status(path, none));
  };
  for (unsigned number = 1;; number++) {
    const std::string end = number == 1 ? "" : fmt::format(".{}", number);
    if (!exists(named(end)) && !exists(named(end + "-full"))) return named(end);
  }
}

Status can_be_written(const std::filesystem::path& trace) {
  std::error_code none;
  std::filesystem::path folder = trace.has_parent_path() ? trace.parent_path() : std::filesystem::path(".");
  if (std::filesystem::is_directory(trace, none))
    return error(fmt::format("cannot write the trace to {}: it is a folder", trace.string()));
  if (!std::filesystem::is_directory(folder, none))
    return error(fmt::format("cannot write the trace to {}: there is no folder {}", trace.string(), folder.string()));
  bool there = std::filesystem::exists(trace, none);
  if (access(there && !std::filesystem::is_regular_file(trace, none) ? trace.c_str() : folder.c_str(), W_OK) != 0)
    return error(fmt::format("cannot write the trace to {}: {}", trace.string(), std::strerror(errno)),
                 "choose another place with -o");
  return {};
}

}  // namespace heddle
