// Atomic instructions and fences: C++20 release sequences and fence synchronisation, on the values that were really
// read (the execution is sequentially consistent, so a load reads the last store).
#include "runtime/detector/atomics.h"

#include "runtime/detector/detector.h"
#include "runtime/detector/granules.h"
#include "runtime/detector/report.h"

namespace heddle::rt::detector {
namespace {

bool acquires(uint32_t order) { return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE; }
bool releases(uint32_t order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

void atomic_granule(const Granule& g, Doing& me, bool is_write) {
  Thread& t = me.t;
  Cell& c = *g.cell;
  AtomicRecord& r = make_atomic(g.address);
  c.write |= kHasAtomics;
  if (!r.history) r.history = AccessSet::make();
  if (r.history->covers(t.detector.epoch, is_write)) return;
  check_plain_write(g, me);
  if (is_write) check_plain_reads(g, me);
  r.history = r.history->add(t, {t.detector.epoch, me.site, me.get_stack(), is_write});
}

// Calls f(record) for the parts of [a, a + size) that atomics have accessed. Words that were accessed in parts have a
// record per byte.
template <class F>
void for_records(uintptr_t a, uint32_t size, F f) {
  for (uintptr_t at = a; at < a + size;) {
    const Block* b = find_block(at);
    uintptr_t word = at & ~uintptr_t{3};
    bool expanded = b && b->cells[(word & kBlockMask) / 4].write == kExpanded;
    if (AtomicRecord* r = find_atomic(expanded ? at : word)) f(*r);
    at = expanded ? at + 1 : word + 4;
  }
}

// A load synchronises with the sequences of all bytes that it reads: C++ knows no atomics that overlap in part, but
// libstdc++ reads two counters of 4 bytes at once, and it may.
void observe(Clock& into, uintptr_t a, uint32_t size) {
  const Release* last = nullptr;
  for_records(a, size, [&](const AtomicRecord& r) {
    if (r.released && r.released != last) into.join(r.released->clock);
    last = r.released;
  });
}

// The sequence that all parts of [a, a + size) belong to, if nothing else does: it can be changed in place.
Release* only_release(uintptr_t a, uint32_t size) {
  Release* only = nullptr;
  uint32_t parts = 0, others = 0;
  for_records(a, size, [&](const AtomicRecord& r) {
    if (parts++ == 0) only = r.released;
    if (r.released != only) others++;
  });
  return only && !others && only->references == parts ? only : nullptr;
}

// What a reader of the value that `t` just stored synchronises with. A read-modify-write continues the sequences of all
// parts that it read.
void publish(Thread& t, uintptr_t a, uint32_t size, bool continues_sequence, uint32_t order) {
  const Clock& published = releases(order) ? t.detector.clock->current : t.detector.clock->fenced;
  Release* next = only_release(a, size);
  if (!next) {
    next = make_release();
    if (continues_sequence) observe(next->clock, a, size);
    for_records(a, size, [next](AtomicRecord& r) { set_release(r, next); });
  } else if (!continues_sequence) {
    next->clock.clear();
  }
  next->clock.join(published);
  if (releases(order)) close_epoch(t);
}

}  // namespace

void atomic(Thread& t, const volatile void* address, uint32_t size, uint32_t kind, uint32_t order, bool success,
            HeddleSite* site) {
  if (!on || t.detector.ignore_sync) return;
  auto a = reinterpret_cast<uintptr_t>(address);
  bool stores = kind != HEDDLE_EV_ATOMIC_LOAD && success, loads = kind != HEDDLE_EV_ATOMIC_STORE;
  current_epoch(t);
  if (loads) observe(acquires(order) ? t.detector.clock->current : t.detector.clock->unacquired, a, size);
  Doing me{t, site_ref(site), kind, a, size, __builtin_frame_address(0), __builtin_return_address(0)};
  for_granules(a, size, [&me, stores](const Granule& g) { atomic_granule(g, me, stores); });
  if (stores && on) publish(t, a, size, loads, order);
}

void fence(Thread& t, uint32_t order) {
  if (!on || t.detector.ignore_sync) return;
  if (acquires(order)) {
    t.detector.clock->current.join(t.detector.clock->unacquired);
    t.detector.clock->unacquired.clear();
  }
  if (releases(order)) {
    t.detector.clock->fenced.assign(t.detector.clock->current);
    close_epoch(t);
  }
}

}  // namespace heddle::rt::detector
