#include "src/engine/environment.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/program/environment_access.h"

namespace heddle {
namespace {

/// By glibc and the sanitizers, behind the program's back.
bool is_read_by_libraries(std::string_view name) {
  static constexpr std::array kNames = {std::string_view("LANG"),
                                        std::string_view("LANGUAGE"),
                                        std::string_view("TZ"),
                                        std::string_view("TZDIR"),
                                        std::string_view("HOME"),
                                        std::string_view("TMPDIR"),
                                        std::string_view("LOCPATH"),
                                        std::string_view("NLSPATH"),
                                        std::string_view("GCONV_PATH"),
                                        std::string_view("OUTPUT_CHARSET"),
                                        std::string_view("GLIBC_TUNABLES"),
                                        std::string_view("POSIXLY_CORRECT"),
                                        std::string_view("RES_OPTIONS"),
                                        std::string_view("LOCALDOMAIN"),
                                        std::string_view("HOSTALIASES"),
                                        std::string_view("RESOLV_HOST_CONF"),
                                        std::string_view("DATEMSK"),
                                        std::string_view("MSGVERB"),
                                        std::string_view("SEV_LEVEL"),
                                        std::string_view("ARGP_HELP_FMT"),
                                        std::string_view("COLUMNS")};
  return name.starts_with("LC_") || name.starts_with("MALLOC_") || name.ends_with("SAN_OPTIONS") ||
         std::ranges::find(kNames, name) != kNames.end();
}

bool comes_from_outside(std::string_view name) { return name.starts_with("LD_") || name == "PATH"; }

// Parts of libc, and what every program has.
bool is_of_the_system(const std::filesystem::path& module) {
  const std::string name = module.filename().string();
  return name.starts_with("libc.so") || name.starts_with("ld-linux") || name.starts_with("libheddle") ||
         !module.is_absolute();
}

}  // namespace

void EnvironmentReads::add(const HeddleRegion& region) {
  whole |= region.environment_whole != 0;
  for (const std::uint64_t hash : region.environment_read)
    if (hash != 0) names.insert(hash);
}

void EnvironmentReads::merge(const EnvironmentReads& other) {
  names.insert(other.names.begin(), other.names.end());
  modules.insert(other.modules.begin(), other.modules.end());
  whole |= other.whole;
}

std::string why_whole_environment(const Launch& launch, const std::filesystem::path& executable,
                                  const EnvironmentReads& reads, bool executed_again) {
  if (!launch.follow.empty()) return "a script or launcher starts the program, and gets it too";
  if (reads.whole) return "the program starts another process, which gets it too";
  if (uses_environ(executable)) return "the program can read all of it (environ)";
  for (const std::filesystem::path& module : reads.modules)
    if (!is_of_the_system(module) && module != executable && uses_environ(module))
      return "a library can read all of it (environ in " + module.filename().string() + ")";
  switch (main_takes_environment(executable)) {
    case MainTakesEnvironment::kYes:
      return "main() takes it as an argument";
    case MainTakesEnvironment::kUnknown:
      return executed_again ? "" : "without debug information it is not known whether main() takes it";
    case MainTakesEnvironment::kNo:
      break;
  }
  return {};
}

std::vector<std::string> without_unread(const std::vector<std::string>& environment, const EnvironmentReads& reads,
                                        bool for_execution) {
  std::vector<std::string> out = environment;
  for (std::string& entry : out) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = entry.substr(0, equals);
    const bool keep = comes_from_outside(name)
                          ? for_execution
                          : is_read_by_libraries(name) || reads.names.contains(heddle_name_hash(name.c_str()));
    if (!keep) entry.replace(equals + 1, std::string::npos, entry.size() - equals - 1, 'x');
  }
  return out;
}

}  // namespace heddle
