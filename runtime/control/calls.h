// Functions that a thread is in, as code built with -fsanitize=thread tells: it keeps no frame pointers, so its stacks
// cannot be walked otherwise. Only kept in runs that want stacks.
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

struct Call {
  uint64_t caller;  // return address of the function
  uint64_t slot;    // where a call from the function puts its return address: below lies what it called
  uint64_t frame;   // the frame pointer at its entry: its own, its caller's, or anything
};

struct Calls {
  static constexpr uint32_t kKept = 256;  // of deeper ones only the innermost are known
  uint32_t top, count;
  Call ring[kKept];

  const Call& at(uint32_t depth) const { return ring[(top - 1 - depth) % kKept]; }  // 0: the innermost
  void pop() {
    top--;
    count--;
  }
};

/// `frame` is the frame address of the hook that the function called.
void call_entered(Thread& t, void* caller, void* frame);
void call_left(Thread& t, void* return_address, void* frame);

}  // namespace heddle::rt
