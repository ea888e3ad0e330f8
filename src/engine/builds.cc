#include "src/engine/builds.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/engine/region.h"
#include "src/program/program.h"

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

}  // namespace

void record_builds(Meta& meta, const std::vector<HeddleModuleInfo>& modules, const fs::path& executable) {
  for (const HeddleModuleInfo& module : modules) {
    const fs::path path = resolved(bounded_string(module.path, sizeof module.path));
    if (path.empty() || path == resolved(executable)) continue;
    if (Result<std::string> id = build_id_of(path)) meta.more[std::string(kModule) + path.string()] = *id;
  }
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
