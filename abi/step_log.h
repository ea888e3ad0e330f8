// The log of steps of a recording, in the area STEPS: chunks, each of which belongs to one thread. A thread's entries
// are in the order of its steps; the order of all steps is that of their numbers, and of equal numbers that of the
// threads' indices (runtime/parallel/step_log.h says what the numbers guarantee).
//
//   area:   | chunk | chunk | ... zeros      chunk: HeddleChunk, entries ..., zeros
//   entry of one word:   kind:7  1  number - the thread's last number: 16  object:18  what:22
//         of two words:  kind:7  0  number - the thread's last number: 56  |  what:32  object:32
//   what: the site; of a hand-over, which has none, `hooks`
//
// No kind is 0, and of two words the first is written last: so an entry is there as a whole or not at all, and the
// first word that is 0 is the end of what the chunk has.
#pragma once
#include "abi/events.h"
#include "abi/region.h"

struct HeddleChunk {
  uint32_t owner;  // thread index + 1; 0: neither this chunk nor one behind it was begun
  uint32_t bytes;  // with this header; a multiple of 8, at least HEDDLE_SMALLEST_CHUNK
  uint64_t reserved;
};

enum { HEDDLE_SMALLEST_CHUNK = 4096 };
enum { HEDDLE_LOG_ENTRY_WORDS = 2 };  // at most
enum { HEDDLE_ENTRY_SHORT = 1u << 7, HEDDLE_ENTRY_KIND = HEDDLE_ENTRY_SHORT - 1 };
enum {
  HEDDLE_ENTRY_DELTA = 8,  // shift; then bits
  HEDDLE_ENTRY_DELTA_BITS = 16,
  HEDDLE_ENTRY_OBJECT = 24,
  HEDDLE_ENTRY_OBJECT_BITS = 18,
  HEDDLE_ENTRY_WHAT = 42,
  HEDDLE_ENTRY_WHAT_BITS = 22
};

/// The words of an entry, `delta` behind the thread's last one; returns how many. `what`: the site, of a hand-over the
/// hooks.
static inline uint32_t heddle_entry_words(uint32_t kind, uint32_t what, uint32_t object, uint64_t delta,
                                          uint64_t words[HEDDLE_LOG_ENTRY_WORDS]) {
  if (!(delta >> HEDDLE_ENTRY_DELTA_BITS | object >> HEDDLE_ENTRY_OBJECT_BITS | what >> HEDDLE_ENTRY_WHAT_BITS)) {
    words[0] = kind | HEDDLE_ENTRY_SHORT | delta << HEDDLE_ENTRY_DELTA | (uint64_t)object << HEDDLE_ENTRY_OBJECT |
               (uint64_t)what << HEDDLE_ENTRY_WHAT;
    return 1;
  }
  words[0] = kind | delta << HEDDLE_ENTRY_DELTA;
  words[1] = what | (uint64_t)object << 32;
  return 2;
}

/// The other way round, of an entry whose first word is not 0; `second` is looked at only if it has one. Returns the
/// number of words. `step` gets no thread.
static inline uint32_t heddle_read_entry(uint64_t first, const uint64_t* second, struct HeddleStep* step,
                                         uint64_t* delta) {
  uint32_t what, count = 1;
  step->kind = (uint8_t)(first & HEDDLE_ENTRY_KIND);
  step->flags = 0;
  if (first & HEDDLE_ENTRY_SHORT) {
    *delta = (first >> HEDDLE_ENTRY_DELTA & ((1u << HEDDLE_ENTRY_DELTA_BITS) - 1));
    step->object = (uint32_t)(first >> HEDDLE_ENTRY_OBJECT & ((1u << HEDDLE_ENTRY_OBJECT_BITS) - 1));
    what = (uint32_t)(first >> HEDDLE_ENTRY_WHAT);
  } else {
    const uint64_t word = *second;
    *delta = first >> HEDDLE_ENTRY_DELTA;
    what = (uint32_t)word;
    step->object = (uint32_t)(word >> 32);
    count = 2;
  }
  const int stops = step->kind == HEDDLE_EV_HANDOVER;
  step->site = stops ? 0 : what;
  step->hooks = stops ? what : 0;
  return count;
}
