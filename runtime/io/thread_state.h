// What system calls keep of a thread: `io` in Thread.
#pragma once
#include <stdint.h>

namespace heddle::rt {

struct IoState {
  volatile uint8_t selector;  // of Syscall User Dispatch, in recordings
  bool waits_inside;          // in a system call that only the program itself can end (inside.cc)
  uint64_t trapped_at;        // the stack pointer of a system call that was trapped; 0: it is in none
  void* state;                // ThreadIo (io/call.h)
};

}  // namespace heddle::rt
