// Signals as the kernel sees them (x86-64).
#pragma once
#include <signal.h>

#include "runtime/io/call.h"

extern "C" void heddle_restore_rt();

namespace heddle::rt {

inline constexpr unsigned long kSaRestorer = 0x04000000;
inline constexpr uint64_t bit(int signo) { return 1ull << (signo - 1); }

struct KernelSigaction {
  void* handler;
  unsigned long flags;
  void (*restorer)();
  uint64_t mask;
};

/// The default action of `signo`, for real.
[[noreturn]] void die_by_signal(int signo);
uint64_t initial_mask(Thread& t);

}  // namespace heddle::rt
