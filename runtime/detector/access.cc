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
  Access now{t.epoch, me.site, me.get_stack(), 0};
  if (c.write & kSharedReads) {
    AccessSet*& readers = held_set(c.read_site);
    c.read = t.epoch;
    // Read before in this interval: whoever wrote since then has checked against that.
    if (readers->covers(t.epoch, false)) return;
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
      c.read = t.epoch;
      c.write |= kSharedReads;
      return;
    }
  }
  c.read = t.epoch;
  c.read_site = me.site;
  if (g.stacks) g.stacks->read = now.stack;
}

void write_granule(const Granule& g, Doing& me) {
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
  c.write = me.t.epoch;
  c.write_site = me.site;
  if (g.stacks) g.stacks->write = me.get_stack();
}

// A length that is the program's own bug (size_t underflow) must fault in the program, not keep us busy for hours.
bool plausible(uintptr_t a, size_t n) {
  if (n <= 1u << 20) return true;
  if (n > size_t{1} << kAddressBits) return false;
  unsigned char resident;
  return raw_syscall(SYS_mincore, (a + n - 1) & ~uintptr_t{4095}, 1, &resident) == 0;
}

void access(uintptr_t a, size_t n, bool is_write, Doing& me) {
  Epoch e = current_epoch(me.t);
  if (is_write) {
    for_granules(a, n, [e](const Cell& c) { return c.write == e; }, [&me](const Granule& g) { write_granule(g, me); });
  } else {
    for_granules(a, n, [e](const Cell& c) { return c.read == e; }, [&me](const Granule& g) { read_granule(g, me); });
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
  if (!on || t.ignore_reads) return;
  auto a = reinterpret_cast<uintptr_t>(address);
  Doing me = HEDDLE_DOING(t, site_ref(site), HEDDLE_EV_READ, a, size);
  access(a, size, false, me);
}

void write(Thread& t, const volatile void* address, uint32_t size, HeddleSite* site) {
  if (!on || t.ignore_writes) return;
  auto a = reinterpret_cast<uintptr_t>(address);
  Doing me = HEDDLE_DOING(t, site_ref(site), HEDDLE_EV_WRITE, a, size);
  access(a, size, true, me);
}

void range(Thread& t, const volatile void* address, size_t length, bool is_write, HeddleSite* site, uint32_t pc_site) {
  auto a = reinterpret_cast<uintptr_t>(address);
  if (!on || length == 0 || (is_write ? t.ignore_writes : t.ignore_reads) || !plausible(a, length)) return;
  uint32_t kind = is_write ? HEDDLE_EV_WRITE_RANGE : HEDDLE_EV_READ_RANGE;
  Doing me = HEDDLE_DOING(t, site ? site_ref(site) : pc_site, kind, a, 0);
  access(a, length, is_write, me);
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
  if (bytes <= kFreeWhole) return access(a, bytes, true, me);
  current_epoch(t);
  for_touched_words((a + 3) & ~uintptr_t{3}, (a + bytes) & ~uintptr_t{3}, [&](uintptr_t word, Block&, Cell& c) {
    if (c.write | c.read) access(word, 4, true, me);
  });
}

}  // namespace heddle::rt::detector
