#include "runtime/detector/granules.h"

#include "runtime/detector/atomics.h"
#include "runtime/detector/pages.h"

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
      const AtomicRecord& original = *find_atomic(word);
      copy.history = AccessSet::clone(*original.history);
      set_release(copy, original.released);
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
  for_known_pages(a, a + n, [](Block& b, uintptr_t low, uintptr_t high) {
    const bool whole_page = high - low == kPageBytes;
    if (is_uniform(b, low)) {
      if (whole_page) return reset_cell(low, b.pages[page_index(low)]);
      spread(b, low);
    }
    for (uintptr_t word = low & ~uintptr_t{3}; word < high; word += 4) {
      Cell& c = b.cells[(word & kBlockMask) / 4];
      if (c.write == kEmpty && c.read == kEmpty) continue;
      const bool whole = word >= low && word + 4 <= high;
      if (c.write != kExpanded) {
        if (whole) {
          reset_cell(word, c);
          continue;
        }
        if (!expand(b, word)) return;
      }
      for (uintptr_t byte = word < low ? low : word; byte < word + 4 && byte < high; byte++)
        reset_cell(byte, b.bytes->cells[byte & kBlockMask]);
      if (whole) c = Cell{};
    }
    if (whole_page) untouch(b, low);
  });
}

}  // namespace heddle::rt::detector
