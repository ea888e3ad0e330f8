// A guided run (runtime/strategy/guided.cc, src/simplify): turns of threads that are followed loosely.
//   EXPECT    HeddleGuide, then HeddleGuidePath[paths], then hashes of actions: heddle_guide_action(kind, site, early)
//   SCHEDULE  HeddleSegment[run.schedule_count]: {path | HEDDLE_GUIDE_JOINED, the number of actions after which it
//   ends} STEPS     out: HeddleStep[result.steps]; `flags`: HEDDLE_STEP_...
#pragma once
#include <stdint.h>

#include "abi/region.h"

// As run.strategy. Beyond those of hunts (abi/region.h): nobody asks for it by name.
#define HEDDLE_STRATEGY_GUIDED 64u
// A turn in no fixed order with the one before: of joined turns each thread goes as far as it can before another one
// does.
#define HEDDLE_GUIDE_JOINED 0x80000000u

// For this step a thread was preempted.
#define HEDDLE_STEP_BY_PREEMPTION 1u
// This action is one that the path has, but far away.
#define HEDDLE_STEP_FAR 2u
// This action is a wait that ended by an early time-out.
#define HEDDLE_STEP_EARLY 4u

// An action of a path. A wait that ended by an early time-out is another action than one that did not.
static inline uint32_t heddle_guide_action(uint32_t kind, uint32_t site, int early) {
  return heddle_step_hash(0, kind, site, early ? 1 : 0);
}

struct HeddleGuide {
  uint32_t paths;
  // May a thread be back on its path far away, where it has left out many different actions? Yes when a loop ends
  // sooner than it did (a thread does not wait any more), no when one turn of it takes another way (another thread
  // comes last to a barrier: what it does then is on its path, too, a few turns later). Nobody can tell which it is.
  uint32_t anywhere;
};

struct HeddleGuidePath {   // what one thread is expected to do; path 0 is main's
  uint32_t parent;         // its path
  uint32_t ordinal;        // k-th child of its parent, from 1
  uint32_t first, actions; // first: an index in EXPECT, in words
};
