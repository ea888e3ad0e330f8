// The ELF modules of a process layout, opened once with libdwfl and kept between processes of the same layout: the
// children of one fork server share it, so refresh() normally finds nothing to do. Internal to src/program. Not
// thread-safe.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <elfutils/libdwfl.h>
#include <sys/types.h>

#include "src/program/process_maps.h"
#include "src/program/program.h"
#include "src/result/result.h"

namespace heddle {

class CodeIndex;
class DataIndex;

struct LoadedModule {
  std::string path, name;  // name: basename
  std::uint64_t bias = 0;  // run-time address = address in the file + bias
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;
  bool system_library = false;    // libc, libstdc++, sanitizer runtimes, vdso ...: never the user's code
  bool system_directory = false;  // somewhere under /lib or /usr/lib
  Dwfl_Module* dwfl = nullptr;
  std::unique_ptr<CodeIndex> code;  // built at first use
  std::unique_ptr<DataIndex> data;  // built at first use
  std::unique_ptr<CodeNames> names;  // built at first use
  std::vector<char> image;          // of the vdso
  /// "f" for each "f.heddle" that it defines: a symbol "f" beside it is the dispatcher. Filled at the first question.
  std::optional<std::unordered_set<std::string>> dispatched;
  ~LoadedModule();
};

class LoadedModules {
 public:
  LoadedModules() = default;
  ~LoadedModules();
  LoadedModules(const LoadedModules&) = delete;
  LoadedModules& operator=(const LoadedModules&) = delete;

  /// Takes over the layout of `pid`. Modules that are known stay open; the first call costs some milliseconds.
  Status refresh(pid_t pid);
  Status refresh(std::vector<CodeMapping> mappings, pid_t pid = 0);
  /// Null before the first successful refresh.
  Dwfl* dwfl() const { return dwfl_; }
  /// The module that `address` lies in, or null.
  LoadedModule* find(std::uint64_t address) const;
  /// Changes whenever modules were dropped, so that whatever was derived from them must go too.
  std::uint64_t generation() const { return generation_; }
  bool is_code(std::uint64_t address) const;
  /// Is `symbol`, as `module` spells it, one of our dispatchers, which only jump to a clone of the function?
  static bool is_dispatcher(LoadedModule& module, const std::string& symbol);
  /// Does the C library export a function of that name? (One that the executable defines too is an interposer.)
  bool is_library_function(const std::string& name);

 private:
  void clear();
  bool still_valid() const;
  bool report(pid_t pid, const std::vector<CodeMapping>& mappings);
  bool report_file(pid_t pid, const CodeMapping& mapping);
  bool report_vdso(pid_t pid, const CodeMapping& mapping);
  bool add(Dwfl_Module* dwfl, std::unique_ptr<LoadedModule> module);

  Dwfl* dwfl_ = nullptr;
  std::vector<std::unique_ptr<LoadedModule>> modules_;
  std::vector<CodeMapping> mappings_;  // of the last refresh
  std::uint64_t generation_ = 0;
  std::unordered_set<std::string> library_functions_;  // filled at the first question
};

}  // namespace heddle
