// The part of an access hook that must be inline: nothing to do when this thread did the same in its present interval.
// tests/perf counts the instructions (at most 40 in the whole hook).
#pragma once
#include "runtime/detector/detector.h"
#include "runtime/detector/shadow.h"

namespace heddle::rt::detector {

/// Does every cell of the aligned access hold `e` already? False too when in doubt.
template <uint32_t kSize, Epoch Cell::* kSlot>
inline __attribute__((always_inline)) bool recorded(uintptr_t a, Epoch e) {
  if (kSize > 1 && a % kSize != 0) return false;  // may cross words
  const Block* b = find_block(a);
  if (!b) return false;
  if constexpr (kSize < 4) {
    if (!b->bytes) return false;
    const Cell* c = &b->bytes->cells[a & kBlockMask];
    for (uint32_t i = 0; i < kSize; i++) {
      if (c[i].*kSlot != e) return false;
    }
  } else {
    const Cell* c = &b->cells[(a & kBlockMask) / 4];
    for (uint32_t i = 0; i < kSize / 4; i++) {
      if (c[i].*kSlot != e) return false;
    }
  }
  return true;
}

template <uint32_t kSize>
inline __attribute__((always_inline)) void read(Thread& t, const volatile void* address, HeddleSite* site) {
  if (!on || HEDDLE_LIKELY((recorded<kSize, &Cell::read>(reinterpret_cast<uintptr_t>(address), t.epoch)))) return;
  read(t, address, kSize, site);
}

template <uint32_t kSize>
inline __attribute__((always_inline)) void write(Thread& t, const volatile void* address, HeddleSite* site) {
  if (!on || HEDDLE_LIKELY((recorded<kSize, &Cell::write>(reinterpret_cast<uintptr_t>(address), t.epoch)))) return;
  write(t, address, kSize, site);
}

}  // namespace heddle::rt::detector
