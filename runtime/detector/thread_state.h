// What the race detector keeps of a thread: `detector` in Thread.
#pragma once
#include <stdint.h>

namespace heddle::rt {

struct VectorClock;  // clock.h

struct DetectorState {
  VectorClock* clock;  // null: the detector is off
  uint32_t epoch;      // its own entry of `clock`, packed with its index (epoch.h)
  uint32_t ignore_reads, ignore_writes, ignore_sync;  // > 0: asked for by annotations of the program
};

}  // namespace heddle::rt
