#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fmt/format.h>

#include "src/doctor/doctor.h"
#include "src/engine/command.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::seconds kShort{20};
constexpr rlim_t kFiles = 64;
constexpr rlim_t kAddressSpace = 64ull << 30;  // the region and the shadow are sparse, but large
constexpr std::uint64_t kSpace = 256ull << 20;

std::string along_path(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment) {
    if (!entry.starts_with("PATH=")) continue;
    for (std::string_view rest = std::string_view(entry).substr(5); !rest.empty();) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      const fs::path candidate = fs::path(rest.substr(0, end)) / name;
      if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return {};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Finding check_limits() {
  rlimit files{}, space{}, size{};
  getrlimit(RLIMIT_NOFILE, &files);
  getrlimit(RLIMIT_AS, &space);
  getrlimit(RLIMIT_FSIZE, &size);
  std::string low;
  if (files.rlim_cur < kFiles) low += fmt::format("only {} open files (ulimit -n); ", files.rlim_cur);
  if (space.rlim_cur < kAddressSpace)
    low += fmt::format("only {} MiB of addresses (ulimit -v); ", space.rlim_cur >> 20);
  if (size.rlim_cur < kSpace) low += fmt::format("files of at most {} KiB (ulimit -f); ", size.rlim_cur >> 10);
  if (low.empty()) return {"limits", Verdict::kFine, "open files, addresses and file sizes are enough", ""};
  return {"limits", Verdict::kBroken, low + "runs may not start or traces may not be written",
          "raise them with ulimit"};
}

Finding check_space() {
  std::error_code none;
  std::string low;
  for (const fs::path& folder : {fs::temp_directory_path(none), fs::current_path(none)}) {
    struct statvfs info{};
    if (statvfs(folder.c_str(), &info) != 0) continue;
    const std::uint64_t left = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
    if (left < kSpace) low += fmt::format("{} MiB left in {}; ", left >> 20, folder.string());
    if (access(folder.c_str(), W_OK) != 0) low += fmt::format("{} cannot be written; ", folder.string());
  }
  if (low.empty()) return {"space", Verdict::kFine, "enough for traces here and in the temporary folder", ""};
  return {"space", Verdict::kLess, low + "traces may not fit",
          "choose another place with -o for the trace, and with TMPDIR for the rest"};
}

Finding check_debugger(const Parts& parts) {
  const std::string gdb = along_path(parts.environment, "gdb");
  if (gdb.empty()) return {"gdb", Verdict::kLess, "not in PATH: replay --gdb will not work", "install the package gdb"};
  const Said said = run_command({gdb, "--version"}, parts.environment, "/", kShort);
  if (said.status != 0)
    return {"gdb", Verdict::kLess, gdb + " does not run: " + last_line_of(said.err), "install it again"};
  return {"gdb", Verdict::kFine, first_line(said.out), ""};
}

}  // namespace

std::vector<Finding> check_surroundings(const Parts& parts) {
  return {check_limits(), check_space(), check_debugger(parts)};
}

std::vector<Finding> check_parts(const Parts& parts) {
  std::vector<Finding> out;
  const Said version = run_command({parts.clang.string(), "--version"}, parts.environment, "/", kShort);
  std::error_code none;
  if (!fs::exists(parts.clang, none))
    out.push_back({"compiler", Verdict::kBroken,
                   fmt::format("{} is not there: heddle cc and heddle c++ will not work", parts.clang.string()),
                   "install the package clang-19, or set HEDDLE_CLANG"});
  else if (version.status != 0 || version.out.find("version 19.") == std::string::npos)
    out.push_back({"compiler", Verdict::kBroken,
                   fmt::format("{} is not clang 19 ({}): the pass cannot be loaded into it", parts.clang.string(),
                               version.status == 0 ? first_line(version.out) : "it does not run"),
                   "install the package clang-19, or set HEDDLE_CLANG"});
  else
    out.push_back({"compiler", Verdict::kFine, first_line(version.out), ""});
  std::string missing;
  for (const fs::path& part : {parts.plugin, parts.runtime, parts.symbols, parts.preload})
    if (!fs::exists(part, none)) missing += part.string() + " ";
  out.push_back({"parts", missing.empty() ? Verdict::kFine : Verdict::kBroken,
                 missing.empty() ? "the pass and the runtimes are beside heddle" : "missing: " + missing,
                 missing.empty() ? "" : "build or install heddle again"});
  return out;
}

}  // namespace heddle
