// From byte ranges to granules: whole words stay words, parts of words are expanded to bytes.
#pragma once
#include "runtime/detector/pages.h"

namespace heddle::rt::detector {

/// Splits the knowledge about a word into equal knowledge about its 4 bytes. False: out of memory, nothing changed.
bool expand(Block& b, uintptr_t word);

/// Forgets what the cell at `address` knows, and gives back what it owns.
void reset_cell(uintptr_t address, Cell& c);

/// Calls f(granule) for what [a, a + n) consists of. For atomics, which are small: uniform pages are spread.
template <class F>
void for_granules(uintptr_t a, size_t n, F f) {
  uintptr_t end = a + n;
  for (uintptr_t word = a & ~uintptr_t{3}; word < end; word += 4) {
    Block* b = make_block(word);
    if (HEDDLE_UNLIKELY(!b)) return;
    if (HEDDLE_UNLIKELY(is_uniform(*b, word))) spread(*b, word);
    const Cell& c = b->cells[(word & kBlockMask) / 4];
    bool whole = word >= a && word + 4 <= end;
    if (HEDDLE_LIKELY(whole && c.write != kExpanded)) {
      f(word_granule(*b, word));
      continue;
    }
    if (c.write != kExpanded && !expand(*b, word)) return;
    uintptr_t low = word < a ? a : word, high = word + 4 < end ? word + 4 : end;
    for (uintptr_t byte = low; byte < high; byte++) f(byte_granule(*b->bytes, byte));
  }
}

/// Forgets all about [a, a + n), at the cost of what was touched there.
void reset_range(uintptr_t a, size_t n);

}  // namespace heddle::rt::detector
