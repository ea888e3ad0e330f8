#include "runtime/detector/pages.h"

namespace heddle::rt::detector {
namespace {

Cell* cells_of(Block& b, uintptr_t a) { return &b.cells[page_index(a) * kPageCells]; }

void become_uniform(Block& b, uintptr_t a, const Cell& cell, CellStacks stacks) {
  Granule page = page_granule(b, a);
  *page.cell = cell;
  if (page.stacks) *page.stacks = stacks;
  __builtin_memset(static_cast<void*>(cells_of(b, a)), 0, kPageCells * sizeof(Cell));
  untouch(b, a);
}

}  // namespace

void untouch(Block& b, uintptr_t a) { b.touched[page_index(a) / 64] &= ~(uint64_t{1} << (page_index(a) % 64)); }

void spread(Block& b, uintptr_t a) {
  Granule page = page_granule(b, a);
  const Cell all = *page.cell;
  *page.cell = Cell{};
  Granule word = word_granule(b, page.address);
  for (uint32_t i = 0; i < kPageCells; i++) {
    word.cell[i] = all;
    if (page.stacks && word.stacks) word.stacks[i] = *page.stacks;
    // The first word inherits the set.
    if (i && (all.write & kSharedReads)) word.cell[i].read_site = hold_set(AccessSet::clone(*held_set(all.read_site)));
  }
}

void gather_written(Block& b, uintptr_t a, Doing& me) {
  const Cell* c = cells_of(b, a);
  for (uint32_t i = 0; i < kPageCells; i++)
    if (c[i].write != me.t.detector.epoch) return;
  // What was read before happened before this write, or the race was reported: the write stands for it.
  become_uniform(b, a, Cell{me.t.detector.epoch, kEmpty, me.site, kNoSite}, {me.get_stack(), 0});
}

void gather_equal(Block& b, uintptr_t a) {
  const Cell* c = cells_of(b, a);
  if (c[0].write & ~kEpochMask) return;
  for (uint32_t i = 1; i < kPageCells; i++)
    if (__builtin_memcmp(&c[i], &c[0], sizeof(Cell)) != 0) return;
  become_uniform(b, a, c[0], b.stacks ? b.stacks[page_index(a) * kPageCells] : CellStacks{});
}

}  // namespace heddle::rt::detector
