// Do two pending operations depend on each other's order? For strategies: a wrong answer costs schedules, never
// soundness.
#pragma once
#include "abi/place.h"
#include "runtime/control/strategy.h"

namespace heddle::rt {

inline bool may_write(uint32_t kind) { return heddle_event_properties(kind) & HEDDLE_P_WRITE; }

// Whose end it is matters to joins only, and these wait for it.
inline HeddlePlace place_of(const Op& op) { return heddle_place(op.kind, op.object, op.address, op.size, ~0u); }

inline bool conflict(const Op& a, const Op& b) {
  return heddle_meet(place_of(a), place_of(b)) && (may_write(a.kind) || may_write(b.kind));
}

}  // namespace heddle::rt
