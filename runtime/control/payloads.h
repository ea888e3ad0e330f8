// The bytes of ranges that were read or written (HEDDLE_AREA_PAYLOADS), in runs whose detail has values.
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

/// What lies at `p` now is what the event with that number read or wrote: of a longer range the first
/// HEDDLE_MAX_PAYLOAD bytes. Nothing is kept if it cannot be read, or if there is no room left.
void record_payload(uint64_t number, const volatile void* p, uint64_t length);

}  // namespace heddle::rt
