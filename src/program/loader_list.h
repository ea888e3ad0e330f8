// The libraries of a process as its dynamic loader lists them. Internal to src/program.
#pragma once
#include <vector>

#include "src/program/process_maps.h"

namespace heddle {

/// Code that lies in memory without being a mapping of its file: a replay loads libraries from the recording. Those
/// that the loader of `pid` lists and `known` has not, if the code in memory is that of the file of that name.
/// Everything read from the process is untrusted.
std::vector<CodeMapping> mappings_by_loader(pid_t pid, const std::vector<CodeMapping>& known);

}  // namespace heddle
