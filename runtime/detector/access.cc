// Plain accesses beyond the fast path: the rules of FastTrack on one granule.
//
// Differences to the paper: atomic accesses are checked too (AtomicRecord), shared readers are a pruned set instead of
// a vector (AccessSet), a read after the thread's own write in one interval is recorded as a read: the report then
// names its line; and a cell that has seen a race leaves the fast path, so that one run tells more of the pairs of a
// racy variable (they become points).
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/detector/atomics.h"
#include "runtime/detector/detector.h"
#include "runtime/detector/granules.h"
#include "runtime/detector/pages.h"
#include "runtime/detector/report.h"

namespace heddle::rt::detector {
namespace {

Access last_write(const Granule& g) {
  return {g.cell->write & kEpochMask, g.cell->write_site, g.stacks ? g.stacks->write : 0, 1};
}
Access only_read(const Granule& g) { return {g.cell->read, g.cell->read_site, g.stacks ? g.stacks->read : 0, 0}; }

void check_read(const Granule& g, Doing& me) {
  if (check_plain_write(g, me)) g.cell->write |= kRaced;
  if (g.cell->write & kHasAtomics) check_atomics(g, me, true);
}

void read_granule(const Granule& g, Doing& me) {
  Cell& c = *g.cell;
  Thread& t = me.t;
  Access now{t.detector.epoch, me.site, me.get_stack(), 0};
  if (c.write & kSharedReads) {
    AccessSet*& readers = held_set(c.read_site);
    c.read = t.detector.epoch;
    // Read before in this interval: whoever wrote since then has checked against that.
    if (readers->covers(t.detector.epoch, false)) return;
    check_read(g, me);
    readers = readers->add(t, now);
    if (readers->size() > 1) return;
    drop_set(c.read_site);  // all others happened before: one reader matters again
    c.write &= ~kSharedReads;
  } else {
    check_read(g, me);
    if (c.read != kEmpty && !ordered(c.read, t)) {
      AccessSet* readers = AccessSet::make()->append(only_read(g))->append(now);
      c.read_site = hold_set(readers);
      c.read = t.detector.epoch;
      c.write |= kSharedReads;
      return;
    }
  }
  c.read = t.detector.epoch;
  c.read_site = me.site;
  if (g.stacks) g.stacks->read = now.stack;
}

// True: it raced.
bool write_granule(const Granule& g, Doing& me) {
  Cell& c = *g.cell;
  bool raced = check_plain_write(g, me);
  raced |= check_plain_reads(g, me);
  if (c.write & kHasAtomics) {
    raced |= check_atomics(g, me, false);
    drop_atomic(g.address);  // also ends the release sequence: who reads this value synchronises with nobody
  }
  bool shared = c.write & kSharedReads;
  if (shared) drop_set(c.read_site);
  if (shared || raced) {  // after a race the reader's fast path must not hide the next one
    c.read = kEmpty;
    c.read_site = kNoSite;
  }
  c.write = me.t.detector.epoch;
  c.write_site = me.site;
  if (g.stacks) g.stacks->write = me.get_stack();
  return raced;
}

// A length that is the program's own bug (size_t underflow) must fault in the program, not keep us busy for hours.
bool plausible(uintptr_t a, size_t n) {
  if (n <= 1u << 20) return true;
  if (n > size_t{1} << kAddressBits) return false;
  unsigned char resident;
  return raw_syscall(SYS_mincore, (a + n - 1) & ~uintptr_t{4095}, 1, &resident) == 0;
}

template <bool kWrite>
bool is_done(const Cell& c, Epoch e) {
  return (kWrite ? c.write : c.read) == e;
}

// A part of a word, or all of an expanded one.
template <bool kWrite>
void access_bytes(Block& b, uintptr_t low, uintptr_t high, Doing& me) {
  const Epoch e = me.t.detector.epoch;
  const uintptr_t word = low & ~uintptr_t{3};
  Cell& c = b.cells[(word & kBlockMask) / 4];
  // Whatever races with a part of a word that this thread wrote as a whole in this interval races with that write: the
  // word need not be expanded.
  if (is_done<kWrite>(c, e) || c.write == e) return;
  if (c.write != kExpanded && !expand(b, word)) return;
  for (uintptr_t byte = low; byte < high; byte++) {
    Cell& own = b.bytes->cells[byte & kBlockMask];
    if (is_done<kWrite>(own, e)) continue;
    const Granule g = byte_granule(*b.bytes, byte);
    if constexpr (kWrite)
      write_granule(g, me);
    else
      read_granule(g, me);
  }
  if (!kWrite || high - low != 4) return;
  for (uintptr_t byte = low; byte < high; byte++) b.bytes->cells[byte & kBlockMask] = Cell{};
  const Granule g = word_granule(b, word);
  *g.cell = Cell{e, kEmpty, me.site, kNoSite};
  if (g.stacks) g.stacks->write = me.get_stack();
}

// Whole words of one page. Neighbours have mostly the same history, which is checked once.
template <bool kWrite>
void access_words(Block& b, uintptr_t low, uintptr_t high, Doing& me) {
  const Epoch e = me.t.detector.epoch;
  Epoch write_seen = kEmpty, read_seen = kEmpty;  // ordered before this access
  Granule g = word_granule(b, low);
  for (; g.address < high; g.address += 4, g.cell++, g.stacks = g.stacks ? g.stacks + 1 : nullptr) {
    Cell& c = *g.cell;
    if (is_done<kWrite>(c, e)) continue;
    if (HEDDLE_LIKELY(c.write == write_seen && c.read == read_seen)) {
      (kWrite ? c.write : c.read) = e;
      (kWrite ? c.write_site : c.read_site) = me.site;
      if (HEDDLE_UNLIKELY(g.stacks != nullptr)) (kWrite ? g.stacks->write : g.stacks->read) = me.get_stack();
      continue;
    }
    if (HEDDLE_UNLIKELY(c.write == kExpanded)) {
      access_bytes<kWrite>(b, g.address, g.address + 4, me);
      continue;
    }
    const Epoch write = c.write, read = c.read;
    bool all_ordered;
    if constexpr (kWrite) {
      all_ordered = !write_granule(g, me);
    } else {
      read_granule(g, me);
      all_ordered = c.write == write;  // else it says that there are several readers, or a race
    }
    if (!all_ordered || (write & ~kEpochMask)) continue;
    write_seen = write;
    read_seen = read;
  }
}

// [low, high) lies in one page.
template <bool kWrite>
void access_page(Block& b, uintptr_t low, uintptr_t high, Doing& me) {
  const bool may_be_uniform = high - low == kPageBytes && !any_benign();
  if (HEDDLE_UNLIKELY(!is_touched(b, low))) {
    if (may_be_uniform) {
      const Granule g = page_granule(b, low);
      if (is_done<kWrite>(*g.cell, me.t.detector.epoch)) return;
      if constexpr (kWrite)
        write_granule(g, me);
      else
        read_granule(g, me);
      return;
    }
    if (is_uniform(b, low)) spread(b, low);
  }
  uintptr_t first_word = (low + 3) & ~uintptr_t{3}, last_word = high & ~uintptr_t{3};
  if (low != first_word) access_bytes<kWrite>(b, low, high < first_word ? high : first_word, me);
  if (first_word < last_word) access_words<kWrite>(b, first_word, last_word, me);
  if (last_word != high && last_word >= first_word) access_bytes<kWrite>(b, last_word, high, me);
  if (HEDDLE_LIKELY(!may_be_uniform)) return;
  if constexpr (kWrite)
    gather_written(b, low, me);
  else
    gather_equal(b, low);
}

template <bool kWrite>
void access(uintptr_t a, size_t n, Doing& me) {
  current_epoch(me.t);
  for (const uintptr_t end = a + n; a < end;) {
    Block* b = make_block(a);
    if (HEDDLE_UNLIKELY(!b)) return;
    const uintptr_t page_end = (a | kPageMask) + 1, stop = end < page_end ? end : page_end;
    access_page<kWrite>(*b, a, stop, me);
    a = stop;
  }
}

// An access of 1 to 16 bytes. Nearly all of them are a part of one word, or a few whole words of a touched page.
template <bool kWrite>
inline void access_small(uintptr_t a, size_t size, Doing& me) {
  Block* b = find_block(a);
  if (HEDDLE_UNLIKELY(!b || !is_touched(*b, a) || (a & kPageMask) + size > kPageBytes))
    return access<kWrite>(a, size, me);
  const Epoch e = current_epoch(me.t);
  if ((a & 3) + size <= 4 && size < 4) return access_bytes<kWrite>(*b, a, a + size, me);
  if (HEDDLE_UNLIKELY((a | size) & 3)) return access<kWrite>(a, size, me);
  for (const uintptr_t end = a + size; a < end; a += 4) {
    const Cell& c = b->cells[(a & kBlockMask) / 4];
    if (is_done<kWrite>(c, e)) continue;
    if (HEDDLE_UNLIKELY(c.write == kExpanded)) {
      access_bytes<kWrite>(*b, a, a + 4, me);
    } else if constexpr (kWrite) {
      write_granule(word_granule(*b, a), me);
    } else {
      read_granule(word_granule(*b, a), me);
    }
  }
}

// Larger blocks are marked as freed only where they were touched: bounded by what the program did, not by what it asked
// for.
constexpr size_t kFreeWhole = 1024;

}  // namespace

bool check_plain_write(const Granule& g, Doing& me) {
  Access w = last_write(g);
  if (w.epoch == kEmpty || ordered(w.epoch, me.t)) return false;
  report(g, w, HEDDLE_EV_WRITE, me);
  return true;
}

bool check_plain_reads(const Granule& g, Doing& me) {
  const Cell& c = *g.cell;
  if (c.write & kSharedReads) {
    bool raced = false;
    for (const Access& r : *held_set(c.read_site)) {
      if (ordered(r.epoch, me.t)) continue;
      report(g, r, HEDDLE_EV_READ, me);
      raced = true;
    }
    return raced;
  }
  if (c.read == kEmpty || ordered(c.read, me.t)) return false;
  report(g, only_read(g), HEDDLE_EV_READ, me);
  return true;
}

bool check_atomics(const Granule& g, Doing& me, bool writes_only) {
  bool raced = false;
  for (const Access& a : *find_atomic(g.address)->history) {
    if ((writes_only && !a.is_write) || ordered(a.epoch, me.t)) continue;
    report(g, a, a.is_write ? HEDDLE_EV_ATOMIC_STORE : HEDDLE_EV_ATOMIC_LOAD, me);
    raced = true;
  }
  return raced;
}

#define HEDDLE_DOING(t, site, kind, address, size) \
  Doing { t, site, kind, address, size, __builtin_frame_address(0), __builtin_return_address(0) }

void read(Thread& t, const volatile void* address, uint32_t size, HeddleSite* site) {
  if (!on || t.detector.ignore_reads) return;
  auto a = reinterpret_cast<uintptr_t>(address);
  Doing me = HEDDLE_DOING(t, site_ref(site), HEDDLE_EV_READ, a, size);
  access_small<false>(a, size, me);
}

void write(Thread& t, const volatile void* address, uint32_t size, HeddleSite* site) {
  if (!on || t.detector.ignore_writes) return;
  auto a = reinterpret_cast<uintptr_t>(address);
  Doing me = HEDDLE_DOING(t, site_ref(site), HEDDLE_EV_WRITE, a, size);
  access_small<true>(a, size, me);
}

void range(Thread& t, const volatile void* address, size_t length, bool is_write, HeddleSite* site, uint32_t pc_site) {
  auto a = reinterpret_cast<uintptr_t>(address);
  if (!on || length == 0 || (is_write ? t.detector.ignore_writes : t.detector.ignore_reads) || !plausible(a, length))
    return;
  uint32_t kind = is_write ? HEDDLE_EV_WRITE_RANGE : HEDDLE_EV_READ_RANGE;
  Doing me = HEDDLE_DOING(t, site ? site_ref(site) : pc_site, kind, a, 0);
  if (length <= 16) return is_write ? access_small<true>(a, length, me) : access_small<false>(a, length, me);
  is_write ? access<true>(a, length, me) : access<false>(a, length, me);
}

void allocated(Thread&, const void* address, size_t bytes) {
  if (on) reset_range(reinterpret_cast<uintptr_t>(address), bytes);
}

void freed(Thread& t, const void* address, size_t bytes, uint32_t pc_site) {
  if (!on || bytes == 0) return;
  auto a = reinterpret_cast<uintptr_t>(address);
  remember_free(pc_site);
  forget_benign(a, bytes);
  Doing me = HEDDLE_DOING(t, pc_site, HEDDLE_EV_FREE, a, 0);
  if (bytes <= kFreeWhole) return access<true>(a, bytes, me);
  for_known_pages(a, a + bytes, [&me](Block&, uintptr_t low, uintptr_t high) { access<true>(low, high - low, me); });
}

}  // namespace heddle::rt::detector
