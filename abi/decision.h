// One decision of a run's schedule, for whoever learns from it (HeddleRun::observe, src/hunt/observation.h): what was
// chosen, and who else could have been.
#pragma once
#include <stdint.h>

// `kind` says which member of a union is there. (32 bytes: dpor compares all pairs of a run's decisions.)
struct HeddleDecision {
  union {
    uint64_t address;  // what the operation accesses; THREAD_JOIN: the index of the thread
    uint64_t creator;  // THREAD_START: a hash of the name of the thread's creator
  };
  uint64_t enabled;  // bit i: thread i < 64 could have been chosen
  uint32_t name;     // a hash of the name of the thread
  uint32_t site;
  union {
    uint32_t object;  // a synchronisation object. THREAD_EXIT: a robust mutex that the thread leaves locked, or
                      // HEDDLE_SEVERAL_OBJECTS
    uint32_t size;    // of an access, in bytes; ~0u: that or more
  };
  uint16_t thread;   // index
  uint8_t kind;
  uint8_t flags;     // HEDDLE_DECISION_*
};
#define HEDDLE_SEVERAL_OBJECTS (~0u)

enum {
  HEDDLE_DECISION_HANDLER = 1,     // what was chosen is the handler of a signal, in place of the step that this names
  HEDDLE_DECISION_COULD_STAY = 2,  // the thread before could have gone on: choosing another one is a preemption
  HEDDLE_DECISION_MORE = 4,        // threads beyond 64 could have been chosen
  HEDDLE_DECISION_TIMED = 8,       // what was chosen has a deadline: when it can be chosen is a matter of time too
  // The thread before had to: that `enabled` lacks it does not mean that it could not go on.
  HEDDLE_DECISION_GAVE_WAY = 16,
  HEDDLE_DECISION_TRIES = 32,      // THREAD_JOIN: it does not wait
};

#ifdef __cplusplus
static_assert(sizeof(HeddleDecision) == 32);
#endif
