// Uniform pages: large ranges at the cost of one cell per KiB.
//
// A page whose words all have the same history has one cell (Block::pages) instead of 256; the cells of its words are
// zero, and it is not touched. A range access that covers an untouched or uniform page looks at that one cell. One that
// covers another page goes through its cells and gathers them if they are equal then, as after a write. Any smaller
// access spreads the page first, so only accesses of whole pages see uniform ones, and the fast path knows nothing of
// them. A uniform page has no atomics and no expanded words; it may have shared readers.
//
// The cost stays in proportion: gathering and spreading touch 4 KiB of cells, and need an access of the program to 1
// KiB and a smaller one after it.
#pragma once
#include "runtime/detector/report.h"
#include "runtime/detector/shadow.h"

namespace heddle::rt::detector {

inline bool is_uniform(const Block& b, uintptr_t a) {
  const Cell& page = b.pages[page_index(a)];
  return b.any_uniform && !is_touched(b, a) && (page.write | page.read) != 0;
}

/// Gives each word of the uniform page its own cell.
void spread(Block& b, uintptr_t a);
/// `me` has just written the whole page, which is touched: one cell says so from now on.
void gather_written(Block& b, uintptr_t a, Doing& me);
/// The page, which is touched, becomes uniform if all its cells are equal.
void gather_equal(Block& b, uintptr_t a);
/// All cells of the page are zero: it is not touched any more.
void untouch(Block& b, uintptr_t a);

}  // namespace heddle::rt::detector
