// Stacks of a thread that stands still, from outside and without ptrace: registers as the runtime saved them, memory by
// process_vm_readv, .eh_frame by libdwfl. Internal to src/program.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <elfutils/libdwfl.h>
#include <sys/types.h>

#include "abi/region.h"
#include "src/program/loaded_modules.h"

namespace heddle {

struct CodeAddress {
  std::uint64_t pc = 0;
  bool is_return_address = false;  // the call is just before `pc`
};

class Unwinder {
 public:
  explicit Unwinder(LoadedModules& modules) : modules_(modules) {}
  Unwinder(const Unwinder&) = delete;
  Unwinder& operator=(const Unwinder&) = delete;

  /// Innermost first. Never fails: at worst the answer is the one address in `regs`.
  std::vector<CodeAddress> walk(pid_t pid, const HeddleRegs& regs, std::size_t limit);

 private:
  struct Step {
    CodeAddress code;
    std::uint64_t sp = 0, fp = 0;
  };
  bool attach();
  bool walk_cfi(const HeddleRegs& regs);
  bool over_bad_call(HeddleRegs& regs);
  bool by_frame_pointer(HeddleRegs& regs);
  bool read_word(std::uint64_t address, std::uint64_t& value);

  static bool set_registers(Dwfl_Thread* thread, void* self);
  static bool read_callback(Dwfl* dwfl, Dwarf_Addr address, Dwarf_Word* value, void* self);
  static pid_t next_thread(Dwfl* dwfl, void* self, void** thread_argument);
  static bool get_thread(Dwfl* dwfl, pid_t tid, void* self, void** thread_argument);
  static int take_frame(Dwfl_Frame* frame, void* self);
  static const Dwfl_Thread_Callbacks kCallbacks;

  LoadedModules& modules_;
  Dwfl* attached_ = nullptr;
  std::uint64_t attached_generation_ = 0;

  // Of the walk in progress.
  pid_t pid_ = 0;
  HeddleRegs regs_{};
  bool first_is_return_ = false;
  std::size_t limit_ = 0;
  std::vector<Step> steps_;
  std::uint64_t chunk_address_ = 0;
  std::size_t chunk_size_ = 0;
  std::array<std::uint64_t, 512> chunk_{};
};

}  // namespace heddle
