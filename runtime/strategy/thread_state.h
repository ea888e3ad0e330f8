// What strategies keep of a thread: `strategy` in Thread. Each run has one strategy, which sets its own fields in
// thread_created().
#pragma once
#include <stdint.h>

namespace heddle::rt {

struct StrategyState {
  uint64_t priority;   // pct, pos, rff
  uint64_t remaining;  // surw: expected events of it and of descendants that are not there yet
  bool postponed;      // racedirected
};

}  // namespace heddle::rt
