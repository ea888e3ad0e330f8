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
  if (r.history->covers(t.epoch, is_write)) return;
  check_plain_write(g, me);
  if (is_write) check_plain_reads(g, me);
  r.history = r.history->add(t, {t.epoch, me.site, me.get_stack(), is_write});
}

// What a reader of the value that `t` just stored synchronises with.
void publish(Thread& t, Clock& released, bool continues_sequence, uint32_t order) {
  const Clock& published = releases(order) ? t.clock->current : t.clock->fenced;
  if (continues_sequence) {
    released.join(published);
  } else {
    released.assign(published);
  }
  if (releases(order)) close_epoch(t);
}

}  // namespace

void atomic(Thread& t, const volatile void* address, uint32_t size, uint32_t kind, uint32_t order, bool success,
            HeddleSite* site) {
  if (!on || t.ignore_sync) return;
  auto a = reinterpret_cast<uintptr_t>(address);
  bool stores = kind != HEDDLE_EV_ATOMIC_LOAD && success, loads = kind != HEDDLE_EV_ATOMIC_STORE;
  current_epoch(t);
  if (loads) {
    if (AtomicRecord* r = find_atomic(a)) (acquires(order) ? t.clock->current : t.clock->unacquired).join(r->released);
  }
  Doing me{t, site_ref(site), kind, a, size, __builtin_frame_address(0), __builtin_return_address(0)};
  for_granules(
      a, size, [](const Cell&) { return false; }, [&me, stores](const Granule& g) { atomic_granule(g, me, stores); });
  if (stores && on) publish(t, find_atomic(a)->released, loads, order);
}

void fence(Thread& t, uint32_t order) {
  if (!on || t.ignore_sync) return;
  if (acquires(order)) {
    t.clock->current.join(t.clock->unacquired);
    t.clock->unacquired.clear();
  }
  if (releases(order)) {
    t.clock->fenced.assign(t.clock->current);
    close_epoch(t);
  }
}

}  // namespace heddle::rt::detector
