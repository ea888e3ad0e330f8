// What hooks keep of a thread between two calls: `hooks` in Thread.
#pragma once
#include <stdint.h>

namespace heddle::rt {

struct HookState {
  struct {  // between __heddle_atomic and __heddle_atomic_done
    uint32_t size, kind, order, failure_order;
  } atomic;
};

}  // namespace heddle::rt
