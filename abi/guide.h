// A guided run (runtime/strategy/guided.cc, src/simplify): turns of threads that are followed loosely.
//   HEDDLE_AREA_GUIDE   in: HeddleGuide, and behind it the lists that it counts, in the order of its fields
//   HEDDLE_AREA_GUIDED  out: HeddleGuidedStep[result.steps]
#pragma once
#include <stdint.h>

#include "abi/region.h"

// As run.strategy. Beyond those of hunts (abi/region.h): nobody asks for it by name.
#define HEDDLE_STRATEGY_GUIDED 64u

// An action of a path. A wait that ended by an early time-out is another action than one that did not.
static inline uint32_t heddle_guide_action(uint32_t kind, uint32_t site, int early) {
  return heddle_step_hash(0, kind, site, early ? 1 : 0);
}

struct HeddleGuide {
  uint32_t paths;    // HeddleGuidePath[paths]: one of each thread; 0 is main's
  uint32_t turns;    // HeddleGuideTurn[turns]
  uint32_t actions;  // uint32_t[actions]: heddle_guide_action() of all paths
  // May a thread be back on its path far away, where it has left out many different actions? Yes when a loop ends
  // sooner than it did (a thread does not wait any more), no when one turn of it takes another way (another thread
  // comes last to a barrier: what it does then is on its path, too, a few turns later). Nobody can tell which it is.
  uint32_t anywhere;
  // May every wait with a time-out end early, and not only those of which the path says so?
  uint32_t early;
};

struct HeddleGuidePath {    // what one thread is expected to do
  uint32_t parent;          // its path
  uint32_t ordinal;         // k-th child of its parent, from 1
  uint32_t first, actions;  // first: an index in the list of actions
};

struct HeddleGuideTurn {
  uint32_t path;
  uint32_t end;  // the number of actions of the path after which it ends
  // 1: in no fixed order with the turn before. Of joined turns each thread goes as far as it can before another does.
  uint32_t joined;
};

struct HeddleGuidedStep {  // what was done in its place
  uint16_t thread;         // index
  uint8_t kind;
  uint8_t flags;  // HEDDLE_GUIDED_*
  uint32_t site;
};
enum {
  HEDDLE_GUIDED_BY_PREEMPTION = 1,  // for this step a thread was preempted
  HEDDLE_GUIDED_FAR = 2,            // this action is one that the path has, but far away
  HEDDLE_GUIDED_EARLY = 4,          // this action is a wait that ended by an early time-out
};

#ifdef __cplusplus
static inline const HeddleGuidePath* heddle_guide_paths(const HeddleGuide* g) {
  return reinterpret_cast<const HeddleGuidePath*>(g + 1);
}
static inline const HeddleGuideTurn* heddle_guide_turns(const HeddleGuide* g) {
  return reinterpret_cast<const HeddleGuideTurn*>(heddle_guide_paths(g) + g->paths);
}
static inline const uint32_t* heddle_guide_actions(const HeddleGuide* g) {
  return reinterpret_cast<const uint32_t*>(heddle_guide_turns(g) + g->turns);
}
#endif
