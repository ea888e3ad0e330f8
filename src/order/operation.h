// What an event touches and how it ended. Decisions of a hunt (run.observe) and events of a trace have the same type,
// but their flags, objects and values mean different things: of a decision nobody knows yet what came of it.
#pragma once
#include <cstdint>
#include <optional>

#include "abi/events.h"
#include "abi/place.h"
#include "abi/region.h"

namespace heddle {

enum class EventSource : std::uint8_t {
  kDecisions,  // HEDDLE_OF_*; `object` of an access is its size, `stack` the hash of the thread's name
  kTrace,      // HEDDLE_EF_*
};

/// Where the decision takes place.
inline HeddlePlace place_of(const HeddleEvent& decision) {
  return heddle_place(decision.kind, decision.object, decision.address, decision.object, decision.thread);
}

enum class Outcome : std::uint8_t { kDone, kFailed, kUnknown };
inline Outcome outcome(const HeddleEvent& event, EventSource source) {
  if (source == EventSource::kTrace) return event.flags & HEDDLE_EF_FAILED ? Outcome::kFailed : Outcome::kDone;
  switch (heddle_event_class(event.kind)) {
    case HEDDLE_C_TRY_ACQUIRE:
    case HEDDLE_C_TRY_EITHER:
    case HEDDLE_C_TRY_AWAIT:
      return Outcome::kUnknown;
    default:
      return event.flags & HEDDLE_OF_TIMED ? Outcome::kUnknown : Outcome::kDone;
  }
}

struct ByteRange {
  std::uint64_t first, last;  // both included
};
/// Of an event of a trace: what it reads, writes, allocates or frees. Lengths are not trusted: none goes over the end
/// of the address space.
inline std::optional<ByteRange> memory_of(const HeddleEvent& event) {
  std::uint64_t size = 0;
  switch (heddle_event_class(event.kind)) {
    case HEDDLE_C_READ:
    case HEDDLE_C_WRITE:
    case HEDDLE_C_ATOMIC:
      size = std::uint64_t{1} << (event.flags & HEDDLE_EF_SIZE);
      if (event.kind == HEDDLE_EV_READ_RANGE || event.kind == HEDDLE_EV_WRITE_RANGE) size = event.value;
      break;
    case HEDDLE_C_ALLOCATE:
    case HEDDLE_C_FREE:
      size = event.value;
      break;
    default:
      return std::nullopt;
  }
  if (event.address == 0 || size == 0) return std::nullopt;
  const std::uint64_t last = event.address + (size - 1);
  return ByteRange{event.address, last < event.address ? ~std::uint64_t{0} : last};
}

/// Sees what was there before; all but a plain or atomic store does that which is no write.
inline bool reads_memory(const HeddleEvent& event) {
  const HeddleEventClass c = heddle_event_class(event.kind);
  return c == HEDDLE_C_READ || (c == HEDDLE_C_ATOMIC && event.kind != HEDDLE_EV_ATOMIC_STORE);
}
/// Of a trace: a compare-exchange that failed wrote nothing; free() is a write to all of the block.
inline bool writes_memory(const HeddleEvent& event) {
  const HeddleEventClass c = heddle_event_class(event.kind);
  if (c == HEDDLE_C_WRITE || c == HEDDLE_C_FREE) return true;
  return c == HEDDLE_C_ATOMIC && (heddle_event_properties(event.kind) & HEDDLE_P_WRITE) &&
         !(event.flags & HEDDLE_EF_FAILED);
}

}  // namespace heddle
