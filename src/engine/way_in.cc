#include "src/engine/way_in.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace heddle {
namespace fs = std::filesystem;
namespace {

// Programs that start another one, which is meant.
bool is_launcher(const ProgramInfo& program) {
  static constexpr std::array kNames = {"env",   "sh",     "bash",   "dash",    "timeout", "nice",
                                        "nohup", "stdbuf", "setsid", "taskset", "ionice",  "chrt"};
  return std::ranges::find(kNames, program.path.filename().string()) != kNames.end();
}

// gcc's AddressSanitizer insists on being the first library; behind ours it works as well.
void let_asan_be_second(const ProgramInfo& program, std::vector<std::string>& environment) {
  if (std::ranges::none_of(program.needed, [](const std::string& name) { return name.starts_with("libasan.so"); }))
    return;
  constexpr std::string_view kVariable = "ASAN_OPTIONS=", kOption = "verify_asan_link_order=0";
  auto known =
      std::ranges::find_if(environment, [&](const std::string& entry) { return entry.starts_with(kVariable); });
  if (known == environment.end())
    environment.push_back(fmt::format("{}{}", kVariable, kOption));
  else if (!known->contains(kOption))
    *known += fmt::format(":{}", kOption);
}

}  // namespace

bool is_plain(const ProgramInfo& program) { return !program.is_script && !program.has_runtime; }

std::optional<Error> runs_with_other_rights(const ProgramInfo& program, const std::string& name) {
  if (program.is_script || (!program.is_setuid && !program.has_capabilities))
    return std::nullopt;  // the kernel ignores a script's
  return Error{
      fmt::format("{} was not executed: {}. Heddle's runtime stays idle in a program with other rights than yours, "
                  "since whoever starts it could read and change its memory",
                  name, program.is_setuid ? "its set-user-ID or set-group-ID bit is set" : "its file has capabilities"),
      fmt::format("use a copy, which has your rights: cp {} copy", program.path.string())};
}

std::optional<Error> cannot_preload(const ProgramInfo& program, const std::string& name) {
  if (!fs::path(program.loader).filename().string().starts_with("ld-linux-x86-64.so"))
    return Error{fmt::format("{} cannot be controlled: its dynamic linker is {}, and heddle's runtime needs glibc's",
                             name, program.loader.empty() ? "unknown" : program.loader),
                 "build it against glibc, or with heddle cc"};
  if (program.has_sanitizer)
    return Error{fmt::format("{} cannot be controlled: it contains a sanitizer's runtime, which must start before "
                             "all preloaded libraries",
                             name),
                 "build it with heddle cc -fsanitize=..., or with gcc (a runtime of its own), or without a sanitizer"};
  for (const std::string& library : program.needed)
    if (library.starts_with("libtsan.so"))
      return Error{
          fmt::format("{} was linked with -fsanitize=thread: its runtime and heddle's cannot share a process", name),
          "link its objects with heddle cc instead, or build it without -fsanitize=thread"};
  return std::nullopt;
}

Status choose_way_in(const ProgramInfo& program, Launch& launch) {
  if (program.has_runtime) return {};
  std::error_code failed;
  const fs::path own = fs::read_symlink("/proc/self/exe", failed);
  launch.preload = own.parent_path().parent_path() / "lib" / "heddle" / "libheddle_preload.so";
  if (!fs::exists(launch.preload, failed))
    return error(fmt::format("the runtime for programs that were not built by heddle cc is missing: {}",
                             launch.preload.string()),
                 "install or build heddle again");
  if (launch.preload.string().find_first_of(" :") != std::string::npos)
    return error(fmt::format("{} cannot be preloaded: its path has a space or a colon", launch.preload.string()),
                 "install heddle at a path without them");
  let_asan_be_second(program, launch.environment);
  if (program.is_script)
    launch.follow = fs::canonical(program.interpreter.front(), failed);
  else if (is_launcher(program))
    launch.follow = program.path;
  return {};
}

}  // namespace heddle
