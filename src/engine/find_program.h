// From what the user typed to the program that is started.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "src/program/program.h"
#include "src/result/result.h"

namespace heddle {

/// As a shell finds it: by path if `name` has a slash, else in the PATH of `environment`. Errors: not there, not
/// executable, and what cannot be controlled: static and setuid programs, other processors, other C libraries, OpenMP.
Result<ProgramInfo> find_program(const std::string& name, const std::vector<std::string>& environment);

/// An executable file of that name in PATH; empty: none.
std::filesystem::path search_path(const std::string& name, const std::vector<std::string>& environment);

}  // namespace heddle
