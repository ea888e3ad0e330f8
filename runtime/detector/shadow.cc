#include "runtime/detector/shadow.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/detector/detector.h"
#include "runtime/detector/pool.h"

namespace heddle::rt::detector {

Block** directory;
bool keep_stacks;

namespace {

Block* all_blocks;

// The program may have a limit on its memory: then it loses its races, not its run.
void out_of_memory() {
  on = in_run = false;
  note("race detector: no memory for its shadow; races are not looked for from here on");
}

template <class Table>
Granule granule(Table& table, uint32_t index, uintptr_t address, uint32_t size) {
  uint32_t page = index / kPageCells;
  table.touched[page / 64] |= uint64_t{1} << (page % 64);
  if (HEDDLE_UNLIKELY(keep_stacks && !table.stacks)) {
    table.stacks = static_cast<CellStacks*>(map_far(sizeof(table.cells) / sizeof(Cell) * sizeof(CellStacks)));
    if (!table.stacks) keep_stacks = false;
  }
  return {address, size, &table.cells[index], keep_stacks ? &table.stacks[index] : nullptr};
}

template <class Table>
void forget(Table& table) {
  raw_syscall(SYS_madvise, table.cells, sizeof table.cells, MADV_DONTNEED);
  __builtin_memset(table.touched, 0, sizeof table.touched);
}

}  // namespace

bool map_directory() {
  if (!directory) {
    directory = static_cast<Block**>(map_far((uintptr_t{1} << (kAddressBits - kBlockShift)) * sizeof(Block*)));
  }
  return directory;
}

Block* make_block(uintptr_t a) {
  Block*& b = directory[(a << (64 - kAddressBits)) >> (64 - kAddressBits + kBlockShift)];
  if (HEDDLE_LIKELY(b)) return b;
  b = static_cast<Block*>(map_far(sizeof(Block)));
  if (!b) {
    out_of_memory();
    return nullptr;
  }
  b->next = all_blocks;
  all_blocks = b;
  return b;
}

ByteTable* make_bytes(Block& b) {
  if (HEDDLE_LIKELY(b.bytes)) return b.bytes;
  b.bytes = static_cast<ByteTable*>(map_far(sizeof(ByteTable)));
  if (!b.bytes) out_of_memory();
  return b.bytes;
}

Granule word_granule(Block& b, uintptr_t word) {
  return granule<CellTable<kBlockBytes / 4>>(b, (word & kBlockMask) / 4, word, 4);
}

Granule byte_granule(ByteTable& t, uintptr_t byte) { return granule(t, byte & kBlockMask, byte, 1); }

Granule page_granule(Block& b, uintptr_t a) {
  b.any_uniform = true;
  if (HEDDLE_UNLIKELY(keep_stacks && !b.page_stacks)) {
    b.page_stacks = static_cast<CellStacks*>(map_far(sizeof b.pages / sizeof(Cell) * sizeof(CellStacks)));
    if (!b.page_stacks) keep_stacks = false;
  }
  uint32_t i = page_index(a);
  return {a & ~kPageMask, kPageBytes, &b.pages[i], keep_stacks ? &b.page_stacks[i] : nullptr};
}

void forget_shadow() {
  for (Block* b = all_blocks; b; b = b->next) {
    forget<CellTable<kBlockBytes / 4>>(*b);
    if (b->any_uniform) __builtin_memset(static_cast<void*>(b->pages), 0, sizeof b->pages);
    b->any_uniform = false;
    if (b->bytes) forget(*b->bytes);
  }
}

}  // namespace heddle::rt::detector
