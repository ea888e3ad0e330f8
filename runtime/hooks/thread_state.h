// What hooks keep of a thread between two calls: `hooks` in Thread.
#pragma once
#include <stdint.h>

namespace heddle::rt {

struct HookState {
  struct {  // between __heddle_atomic and __heddle_atomic_done
    uint32_t size, kind, order, failure_order;
  } atomic;
  uint16_t passed;  // accesses that it may share with a handler and that were points
  struct Spin {     // of a thread without patience (spin.cc)
    uint64_t proved_at;     // steps + 1 at its last proof
    uint64_t resumed_at;    // steps when it was watched last
    uint64_t own_steps;     // ... and its own among them
    uint64_t hooks;         // since its last point of another kind
    uint64_t given_way_at;  // `hooks`, when it last gave way without a proof
    uint32_t endless;       // points in a loop without an exit, with no other point between
    bool proving;           // the point that is being passed is a proof
    bool only_read;         // since it was resumed
  } spin;
};

}  // namespace heddle::rt
