#include "src/engine/find_program.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "src/engine/way_in.h"

namespace heddle {
namespace fs = std::filesystem;
namespace {

bool is_openmp(std::string_view library) {
  return library.starts_with("libgomp.so") || library.starts_with("libomp.so") || library.starts_with("libomp5.so") ||
         library.starts_with("libiomp5.so");
}

}  // namespace

fs::path search_path(const std::string& name, const std::vector<std::string>& environment) {
  constexpr std::string_view kVariable = "PATH=";
  const auto path = std::ranges::find_if(environment, [](const std::string& e) { return e.starts_with(kVariable); });
  for (std::string_view rest = path == environment.end() ? "" : std::string_view(*path).substr(kVariable.size());
       !rest.empty();) {
    std::size_t end = std::min(rest.find(':'), rest.size());
    fs::path candidate = fs::path(rest.substr(0, end)) / name;
    std::error_code none;
    if (fs::is_regular_file(candidate, none) && access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

Result<ProgramInfo> find_program(const std::string& name, const std::vector<std::string>& environment) {
  fs::path path = name;
  if (name.empty()) return error("the program name is empty");
  std::error_code unknown;
  if (fs::is_directory(path, unknown))
    return error(fmt::format("{} is a folder, not a program", name), "name the program in it");
  if (name.find('/') == name.npos) {
    path = search_path(name, environment);
    std::error_code none;
    if (path.empty() && fs::exists(name, none))
      if (Result<ProgramInfo> here = inspect_program(fs::path(".") / name); !here) return here;  // nor would ./ help
    if (path.empty())
      return error(fmt::format("program {} not found in PATH", name),
                   fs::exists(name, none) ? fmt::format("did you mean ./{}?", name) : "");
  }
  Result<ProgramInfo> info = inspect_program(path);
  if (!info) return info;
  if (auto refusal = runs_with_other_rights(*info, name)) return std::unexpected(*refusal);
  if (auto refusal = is_plain(*info) ? cannot_preload(*info, name) : std::nullopt) return std::unexpected(*refusal);
  for (const std::string& library : info->needed)
    if (is_openmp(library))
      return error(fmt::format("{} uses OpenMP ({}), whose threads heddle does not control yet", name, library),
                   "build it without -fopenmp, or use heddle on the parts that use pthreads or std::thread");
  return info;
}

}  // namespace heddle
