// Shadow memory: what the detector knows about each byte of the program.
//
//   directory[address >> 22] -> Block (4 MiB of the program, made at its first access)
//     cells[]   one Cell per aligned word of 4 bytes
//     bytes ->  one Cell per byte, for words that were accessed in parts ("expanded": exact, no neighbour races)
//     pages[]   one Cell per KiB, for pages of which all words have the same history ("uniform", pages.h)
//     stacks -> stack ids beside the cells, only in runs that keep stacks
//
// A word is expanded until it is written as a whole or its memory is allocated anew. Cells of bytes mean something only
// while their word is expanded, and are zero otherwise: so the fast path of 1- and 2-byte accesses looks at the bytes
// straight away.
//
// `touched` has a bit per page of cells that are in use: all cells of other pages are zero. Clearing and freeing skip
// those, and never fault them in.
#pragma once
#include "runtime/detector/site_ref.h"

namespace heddle::rt::detector {

constexpr unsigned kBlockShift = 22, kAddressBits = 47;
constexpr uintptr_t kBlockBytes = uintptr_t{1} << kBlockShift, kBlockMask = kBlockBytes - 1;
constexpr uint32_t kPageCells = 256;  // 4 KiB of cells
constexpr uintptr_t kPageBytes = kPageCells * 4, kPageMask = kPageBytes - 1;

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
  ByteTable* bytes;         // null until needed
  Block* next;              // all blocks, for restarts
  CellStacks* page_stacks;  // null until needed
  bool any_uniform;         // pages[] is in use: it is not even looked at before
  alignas(16) Cell pages[kBlockBytes / kPageBytes];
};

inline uint32_t page_index(uintptr_t a) { return static_cast<uint32_t>((a & kBlockMask) / kPageBytes); }
inline bool is_touched(const Block& b, uintptr_t a) {
  return b.touched[page_index(a) / 64] >> (page_index(a) % 64) & 1;
}

extern HEDDLE_HIDDEN Block** directory;
extern HEDDLE_HIDDEN bool keep_stacks;

inline Block* find_block(uintptr_t a) {
  return directory[(a << (64 - kAddressBits)) >> (64 - kAddressBits + kBlockShift)];
}

/// One cell with its surroundings: the unit on which an access is checked and recorded.
struct Granule {
  uintptr_t address;
  uint32_t size;  // 1, 4 or kPageBytes
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
/// The cell of a uniform page, or of one that becomes uniform now.
Granule page_granule(Block& b, uintptr_t a);

/// Calls f(block, low, high) for the part of [low, high) in each page that anything is known about. f may not make
/// blocks.
template <class F>
void for_known_pages(uintptr_t low, uintptr_t high, F f) {
  for (uintptr_t a = low; a < high;) {
    uintptr_t block_end = (a | kBlockMask) + 1, end = high < block_end ? high : block_end;
    Block* b = find_block(a);
    while (b && a < end) {
      uintptr_t page_end = (a | kPageMask) + 1, stop = end < page_end ? end : page_end;
      if (is_touched(*b, a) || (b->any_uniform && (b->pages[page_index(a)].write | b->pages[page_index(a)].read)))
        f(*b, a, stop);
      a = stop;
    }
    a = end;
  }
}

/// Forgets all cells of all blocks (restart). Sets and atomics are dropped by their owners.
void forget_shadow();
bool map_directory();

}  // namespace heddle::rt::detector
