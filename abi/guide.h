// A guided run (runtime/strategy/guided.cc, src/simplify): turns of threads that are followed loosely.
//   EXPECT    HeddleGuide, then HeddleGuidePath[paths], then hashes of actions: heddle_step_hash(0, kind, site, 0)
//   SCHEDULE  HeddleSegment[run.schedule_count]: {path | HEDDLE_GUIDE_JOINED, the number of actions after which it ends}
//   STEPS     out: HeddleStep[result.steps]; `reserved` is 1 when a thread was preempted for this step
#pragma once
#include <stdint.h>

// As run.strategy. Beyond those of hunts (abi/region.h): nobody asks for it by name.
#define HEDDLE_STRATEGY_GUIDED 64u
// A turn in no fixed order with the one before: of joined turns each thread goes as far as it can before another one does.
#define HEDDLE_GUIDE_JOINED 0x80000000u

struct HeddleGuide {
  uint32_t paths;
};

struct HeddleGuidePath {   // what one thread is expected to do; path 0 is main's
  uint32_t parent;         // its path
  uint32_t ordinal;        // k-th child of its parent, from 1
  uint32_t first, actions; // first: an index in EXPECT, in words
};
