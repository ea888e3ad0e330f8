#include "src/engine/builds.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "src/engine/region.h"
#include "src/program/program.h"
#include "src/trace/meta_keys.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kModule = "module:";

fs::path resolved(const fs::path& path) {
  std::error_code failed;
  fs::path out = fs::canonical(path, failed);
  return failed ? path : out;
}

/// The file that stands for `recorded` now; empty: none.
fs::path file_now(const fs::path& recorded, const std::vector<fs::path>& mapped) {
  if (std::ranges::find(mapped, recorded) != mapped.end()) return recorded;
  const auto named = std::ranges::find(mapped, recorded.filename(), [](const fs::path& p) { return p.filename(); });
  if (named != mapped.end()) return *named;
  std::error_code none;
  return fs::exists(recorded, none) ? recorded : fs::path();
}

/// "a\0b\0" as /proc has it.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string of_process(pid_t pid, const char* what) { return content(fmt::format("/proc/{}/{}", pid, what)); }

}  // namespace

void record_started_program(Meta& meta, pid_t server, const fs::path& executable) {
  if (executable.empty() || executable == meta.program) return;
  Result<std::string> id = build_id_of(executable);
  if (!id) return;
  meta.more[meta_key::kElf] = executable.string();
  meta.more[meta_key::kElfBuildId] = *id;
  meta.more[meta_key::kElfArgv] = of_process(server, "cmdline");
  std::string& environment = meta.more[meta_key::kElfEnvironment];
  for (const std::string& entry : words_of(of_process(server, "environ")))
    if (entry.contains('=') && !entry.starts_with("HEDDLE_") && !entry.starts_with("LD_BIND_NOW="))
      environment += entry + '\0';
  std::error_code none;
  meta.more[meta_key::kElfCwd] = fs::read_symlink(fmt::format("/proc/{}/cwd", server), none).string();
}

std::optional<StartedProgram> started_program(const Meta& meta) {
  StartedProgram out{.build_id = value_of(meta, meta_key::kElfBuildId),
                     .argv = words_of(value_of(meta, meta_key::kElfArgv)),
                     .environment = words_of(value_of(meta, meta_key::kElfEnvironment)),
                     .cwd = value_of(meta, meta_key::kElfCwd)};
  return out.build_id.empty() ? std::nullopt : std::optional(std::move(out));
}

void record_builds(Meta& meta, const std::vector<HeddleModuleInfo>& modules, const fs::path& executable) {
  for (const HeddleModuleInfo& module : modules) {
    const fs::path path = resolved(bounded_string(module.path, sizeof module.path));
    if (path.empty() || path == resolved(executable)) continue;
    if (Result<std::string> id = build_id_of(path)) meta.more[std::string(kModule) + path.string()] = *id;
  }
}

std::optional<fs::file_time_type> time_of_build(const Meta& meta, const fs::path& executable) {
  std::optional<fs::file_time_type> last;
  const auto take = [&](const fs::path& path) {
    std::error_code failed;
    const fs::file_time_type time = fs::last_write_time(path, failed);
    if (!failed) last = std::max(last.value_or(time), time);
  };
  take(executable);
  for (const auto& [key, build] : meta.more)
    if (key.starts_with(kModule)) take(key.substr(kModule.size()));
  return last;
}

Status check_builds(const Meta& meta, pid_t server) {
  std::vector<fs::path> mapped;
  for (auto at = meta.more.lower_bound(std::string(kModule)); at != meta.more.end(); ++at) {
    const auto& [key, wanted] = *at;
    if (!key.starts_with(kModule)) break;
    if (mapped.empty()) mapped = mapped_files(server);
    const fs::path recorded = key.substr(kModule.size()), now = file_now(recorded, mapped);
    if (now.empty()) continue;
    Result<std::string> id = build_id_of(now);
    if (!id) return std::unexpected(id.error());
    if (*id != wanted)
      return error(fmt::format("the library {} was rebuilt: its build-id differs from the trace's ({} instead of {})",
                               now.string(), *id, wanted),
                   "replay with the library that the trace was made with, or hunt again");
  }
  return {};
}

}  // namespace heddle
