// The part of an access hook that must be inline: nothing to do when this thread did the same in its present interval.
// tests/perf counts the instructions (at most 40 in the whole hook).
#pragma once
#include "runtime/detector/detector.h"
#include "runtime/detector/shadow.h"

namespace heddle::rt::detector {

/// Do all of `kCells` cells hold `e`? Written out: gcc keeps a loop at -O2.
template <uint32_t kCells, Epoch Cell::* kSlot>
inline __attribute__((always_inline)) bool all_hold(const Cell* c, Epoch e) {
  return c[0].*kSlot == e && (kCells < 2 || c[1].*kSlot == e) && (kCells < 4 || (c[2].*kSlot == e && c[3].*kSlot == e));
}

/// Is this access recorded for the interval `e` already? False too when in doubt (not aligned: may cross words).
template <uint32_t kSize, Epoch Cell::* kSlot>
inline __attribute__((always_inline)) bool recorded(uintptr_t a, Epoch e) {
  if (kSize > 1 && a % kSize != 0) return false;
  const Block* b = find_block(a);
  if (!b) return false;
  if constexpr (kSize < 4) {
    // All of the word was written in this interval. (Of 2 bytes the slow path finds that out: the hook must stay
    // short.)
    if (kSize == 1 && b->cells[(a & kBlockMask) / 4].write == e) return true;
    return b->bytes && all_hold<kSize, kSlot>(&b->bytes->cells[a & kBlockMask], e);
  }
  return all_hold<kSize / 4, kSlot>(&b->cells[(a & kBlockMask) / 4], e);
}

template <uint32_t kSize>
inline __attribute__((always_inline)) void read(Thread& t, const volatile void* address, HeddleSite* site) {
  if (!on || HEDDLE_LIKELY((recorded<kSize, &Cell::read>(reinterpret_cast<uintptr_t>(address), t.detector.epoch))))
    return;
  read(t, address, kSize, site);
}

template <uint32_t kSize>
inline __attribute__((always_inline)) void write(Thread& t, const volatile void* address, HeddleSite* site) {
  if (!on || HEDDLE_LIKELY((recorded<kSize, &Cell::write>(reinterpret_cast<uintptr_t>(address), t.detector.epoch))))
    return;
  write(t, address, kSize, site);
}

}  // namespace heddle::rt::detector
