// Shadow memory: what the detector knows about each byte of the program.
//
//   directory[address >> 22] -> Block (4 MiB of the program, made at its first access)
//     cells[]   one Cell per aligned word of 4 bytes
//     bytes ->  one Cell per byte, for words that were accessed in parts ("expanded": exact, no neighbour races)
//     stacks -> stack ids beside the cells, only in runs that keep stacks
//
// A word is expanded until its memory is allocated anew. Cells of bytes mean something only while their word is
// expanded, and are zero otherwise: so the fast path of 1- and 2-byte accesses looks at the bytes straight away.
//
// `touched` has a bit per page of cells that was ever written: clearing and freeing skip the others, and never fault
// them in.
#pragma once
#include "runtime/detector/site_ref.h"

namespace heddle::rt::detector {

constexpr unsigned kBlockShift = 22, kAddressBits = 47;
constexpr uintptr_t kBlockBytes = uintptr_t{1} << kBlockShift, kBlockMask = kBlockBytes - 1;
constexpr uint32_t kPageCells = 256;  // 4 KiB of cells

struct Cell {
  Epoch write;  // last plain write | kHasAtomics | kSharedReads | kRaced; or kExpanded
  Epoch read;   // last plain read: of the only reader that matters, or (kSharedReads) the latest of several
  SiteRef write_site;
  uint32_t read_site;  // SiteRef; with kSharedReads the handle of an AccessSet (all readers)
};
constexpr uint32_t kHasAtomics = 1u << 31;  // atomics.h knows more about this address
constexpr uint32_t kSharedReads = 1u << 30;
constexpr uint32_t kExpanded = 1u << 29;  // the whole value of Cell::write
constexpr uint32_t kRaced = 1u << 28;     // a race was seen here: the writer's fast path must not hide the next one
constexpr uint32_t kEpochMask = kEpochLimit - 1;
static_assert(sizeof(Cell) == 16);

struct CellStacks {
  uint32_t write, read;
};

template <uint32_t kCells>
struct CellTable {
  Cell cells[kCells];
  uint64_t touched[kCells / kPageCells / 64];
  CellStacks* stacks;  // null until needed
};
using ByteTable = CellTable<kBlockBytes>;
struct Block : CellTable<kBlockBytes / 4> {
  ByteTable* bytes;  // null until needed
  Block* next;       // all blocks, for restarts
};

extern HEDDLE_HIDDEN Block** directory;
extern HEDDLE_HIDDEN bool keep_stacks;

inline Block* find_block(uintptr_t a) {
  return directory[(a << (64 - kAddressBits)) >> (64 - kAddressBits + kBlockShift)];
}

/// One cell with its surroundings: the unit on which an access is checked and recorded.
struct Granule {
  uintptr_t address;
  uint32_t size;  // 1 or 4
  Cell* cell;
  CellStacks* stacks;  // null: this run keeps none
};

/// The block of `a`, made if new. Null: out of memory, and the detector is off from now on.
Block* make_block(uintptr_t a);
/// The bytes of a block, made if new. Null as above.
ByteTable* make_bytes(Block& b);

/// Marks the cell as touched: the caller is about to change it.
Granule word_granule(Block& b, uintptr_t word);
Granule byte_granule(ByteTable& t, uintptr_t byte);

/// Calls f(address of the word, cell) for the words of [low, high) that lie in touched pages. low and high are
/// multiples of 4.
template <class F>
void for_touched_words(uintptr_t low, uintptr_t high, F f) {
  for (uintptr_t a = low; a < high;) {
    uintptr_t block_end = (a | kBlockMask) + 1, end = high < block_end ? high : block_end;
    Block* b = find_block(a);
    if (!b) {
      a = end;
      continue;
    }
    while (a < end) {
      uintptr_t page_end = (a | (kPageCells * 4 - 1)) + 1, stop = end < page_end ? end : page_end;
      uint32_t page = (a & kBlockMask) / 4 / kPageCells;
      if (b->touched[page / 64] >> (page % 64) & 1) {
        for (Cell* c = &b->cells[(a & kBlockMask) / 4]; a < stop; a += 4, c++) f(a, *b, *c);
      }
      a = stop;
    }
  }
}

/// Forgets all cells of all blocks (restart). Sets and atomics are dropped by their owners.
void forget_shadow();
bool map_directory();

}  // namespace heddle::rt::detector
