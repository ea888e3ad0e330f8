// Do two pending operations depend on each other's order? For strategies: a wrong answer costs schedules, never soundness.
#pragma once
#include "runtime/strategy/strategy.h"

namespace heddle::rt {

inline bool may_write(uint32_t kind) {
  static constexpr uint8_t kProperties[] = {
#define HEDDLE_X(name, text, props) props,
      HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
  };
  return kProperties[kind] & HEDDLE_P_WRITE;
}

// An operation has no size: accesses to the same 8 bytes count as accesses to the same place, and of ranges only the start.
inline bool conflict(const Op& a, const Op& b) {
  if (a.object && b.object) return a.object == b.object;
  return a.address && a.address >> 3 == b.address >> 3 && (may_write(a.kind) || may_write(b.kind));
}

}  // namespace heddle::rt
