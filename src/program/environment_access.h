// Can a module reach the environment other than by asking for variables by name?
#pragma once
#include <filesystem>
#include <string>

namespace heddle {

/// `elf` uses `environ` (or __environ). Unknown files do not.
bool uses_environ(const std::filesystem::path& elf);

enum class MainTakesEnvironment { kNo, kYes, kUnknown };  // the last: no debug information
MainTakesEnvironment main_takes_environment(const std::filesystem::path& executable);

}  // namespace heddle
