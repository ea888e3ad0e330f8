// The code a process has loaded, from /proc/<pid>/maps. Internal to src/program.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "src/result/result.h"

namespace heddle {

/// One executable mapping of a file (or of the vdso).
struct CodeMapping {
  std::uint64_t start = 0, end = 0, offset = 0;
  std::uint64_t inode = 0;
  std::string path;  // as the kernel prints it, " (deleted)" removed; "[vdso]"
  bool deleted = false;
  bool operator==(const CodeMapping&) const = default;
};

/// Lines that are no executable mapping of a file, or make no sense, are left out.
std::vector<CodeMapping> parse_maps(std::string_view text);
Result<std::vector<CodeMapping>> read_maps(pid_t pid);

/// Copies from the memory of `pid` (process_vm_readv, or /proc/PID/mem where that is denied); false if any byte is
/// missing.
bool read_memory(pid_t pid, std::uint64_t address, void* to, std::size_t bytes);

}  // namespace heddle
