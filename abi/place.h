// Where an operation takes place, and whether two of them meet there: ONE relation for the strategies in the program
// and for dpor and coverage in the host.
#pragma once
#include "abi/events.h"

enum HeddleSpace { HEDDLE_SPACE_NONE, HEDDLE_SPACE_MEMORY, HEDDLE_SPACE_OBJECT, HEDDLE_SPACE_THREAD };
struct HeddlePlace {
  uint64_t first, last;  // bytes; of objects and threads one number
  uint32_t space;        // enum HeddleSpace; NONE: it touches nothing that has a place
};

// `size` in bytes: 0 is 1, ~0u has no end. `thread`: whose operation it is.
static inline struct HeddlePlace heddle_place(uint32_t kind, uint32_t object, uint64_t address, uint32_t size,
                                              uint32_t thread) {
  struct HeddlePlace place = {0, 0, HEDDLE_SPACE_NONE};
  if (heddle_event_properties(kind) & HEDDLE_P_ACCESS) {
    place.space = address ? HEDDLE_SPACE_MEMORY : HEDDLE_SPACE_NONE;
    place.first = address;
    place.last = address + (size ? size - 1 : 0);
    if (size == ~0u || place.last < address) place.last = ~(uint64_t)0;
  } else if (kind == HEDDLE_EV_THREAD_JOIN || kind == HEDDLE_EV_THREAD_EXIT) {
    place.space = HEDDLE_SPACE_THREAD;
    place.first = place.last = kind == HEDDLE_EV_THREAD_JOIN ? address : thread;
  } else if (object) {
    place.space = HEDDLE_SPACE_OBJECT;
    place.first = place.last = object;
  }
  return place;
}

static inline int heddle_meet(struct HeddlePlace a, struct HeddlePlace b) {
  return a.space != HEDDLE_SPACE_NONE && a.space == b.space && a.first <= b.last && b.first <= a.last;
}
