#include "runtime/detector/granules.h"

#include "runtime/detector/atomics.h"

namespace heddle::rt::detector {

bool expand(Block& b, uintptr_t word) {
  ByteTable* bytes = make_bytes(b);
  if (!bytes) return false;
  Granule from = word_granule(b, word);
  Cell whole = *from.cell;
  for (uintptr_t i = 0; i < 4; i++) {
    Granule to = byte_granule(*bytes, word + i);
    *to.cell = whole;
    if (to.stacks && from.stacks) *to.stacks = *from.stacks;
    if (i == 0) continue;  // the first byte inherits the set and the record of the word
    if (whole.write & kSharedReads) to.cell->read_site = hold_set(AccessSet::clone(*held_set(whole.read_site)));
    if (whole.write & kHasAtomics) {
      AtomicRecord& copy = make_atomic(word + i);
      copy.history = AccessSet::clone(*find_atomic(word)->history);
    }
  }
  *from.cell = Cell{kExpanded, kEmpty, kNoSite, kNoSite};
  return true;
}

void reset_cell(uintptr_t address, Cell& c) {
  if (c.write & kSharedReads) drop_set(c.read_site);
  if (c.write & kHasAtomics) drop_atomic(address);
  c = Cell{};
}

void reset_range(uintptr_t a, size_t n) {
  uintptr_t end = a + n;
  auto reset = [a, end](uintptr_t word, Block& b, Cell& c) {
    if (c.write == kEmpty && c.read == kEmpty) return;
    bool whole = word >= a && word + 4 <= end;
    if (c.write != kExpanded) {
      if (whole) return reset_cell(word, c);
      if (!expand(b, word)) return;
    }
    for (uintptr_t byte = word < a ? a : word; byte < word + 4 && byte < end; byte++) {
      reset_cell(byte, b.bytes->cells[byte & kBlockMask]);
    }
    if (whole) c = Cell{};
  };
  for_touched_words(a & ~uintptr_t{3}, (end + 3) & ~uintptr_t{3}, reset);
}

}  // namespace heddle::rt::detector
