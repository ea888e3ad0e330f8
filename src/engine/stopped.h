// A process that runs on without reaching a scheduling point (a hang): stopped from outside by ptrace, to be unwound.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <sys/types.h>

#include "abi/region.h"

namespace heddle {

/// A task of process `pid` through which its memory can be read: when main() ended by pthread_exit(), the process
/// itself is none.
pid_t task_with_memory(pid_t pid);

/// Stops all threads of `pid` while this object lives; they go on afterwards. Where ptrace is not allowed it stops
/// nothing.
class Stopped {
 public:
  explicit Stopped(pid_t pid);
  ~Stopped();
  Stopped(const Stopped&) = delete;

  struct Running {
    std::uint32_t index;  // in `threads`
    HeddleRegs regs;
  };
  /// The thread that has the baton, recognised by its stack (under fibers it runs on another thread's kernel thread).
  std::optional<Running> running(std::span<const HeddleThreadInfo> threads) const;

 private:
  std::vector<pid_t> tids_;
};

}  // namespace heddle
