// Atomic instructions of instrumented code: a point before, happens-before and values after.
#include "abi/hooks.h"

#include "runtime/control/control.h"
#include "runtime/control/discipline.h"
#include "runtime/control/recording.h"
#include "runtime/control/scheduler.h"
#include "runtime/control/stay.h"
#include "runtime/detector/detector.h"
#include "runtime/hooks/access.h"
#include "runtime/hooks/sites.h"

namespace heddle::rt {
namespace {

uint64_t memory_now(const volatile void* p, uint32_t size) {
  switch (size) {
    case 1: return *(const volatile uint8_t*)p;
    case 2: return *(const volatile uint16_t*)p;
    case 4: return *(const volatile uint32_t*)p;
    default: return *(const volatile uint64_t*)p;
  }
}

}  // namespace

// Everything that is not the hot path. The frame that the program called is the hook's, or this one after a tail call.
void controlled_atomic(Thread& t, const volatile void* p, uint32_t size, uint32_t kind, HeddleSite* site) {
  read_back_if_needed(t, HEDDLE_THIS_FRAME);
  if (HEDDLE_UNLIKELY(recording.detail >= HEDDLE_DETAIL_POINTS))
    t.info->pending_stack = capture_stack(__builtin_frame_address(0), __builtin_return_address(0));
  point_here(t, Op{kind, site_id(site), 0, (uint64_t)p, size});
}

}  // namespace heddle::rt

using namespace heddle::rt;

HEDDLE_EXPORT void __heddle_atomic(const volatile void* p, uint32_t size, uint32_t kind, uint32_t order,
                                   uint32_t failure_order, HeddleSite* site) {
  Thread* t = self;
  if (HEDDLE_UNLIKELY(!t)) return;
  t->hooks.atomic = {size, kind, order, failure_order};
  if (may_stay() && site_is_near(site)) return stay(*t, Op{kind, site_id(site), 0, (uint64_t)p});
  return discipline.atomic(*t, p, size, kind, site);
}

HEDDLE_EXPORT void __heddle_atomic_done(const volatile void* p, uint64_t value, uint32_t success, HeddleSite* site) {
  Thread* t = self;
  if (HEDDLE_UNLIKELY(!t)) return;
  const auto op = t->hooks.atomic;
  if (HEDDLE_UNLIKELY(!op.size)) return;  // nobody wants to know
  uint64_t after = memory_now(p, op.size);
  bool changed = op.kind == HEDDLE_EV_ATOMIC_STORE || (op.kind != HEDDLE_EV_ATOMIC_LOAD && success && after != value);
  changed ? productive() : looked_at(p, after);
  if (HEDDLE_UNLIKELY(recording.detail >= HEDDLE_DETAIL_POINTS)) {
    if (uint64_t n = t->events.last) {
      HeddleEvent& e = event_at(n - 1);
      e.flags |= (uint8_t)(size_log2(op.size) | HEDDLE_EF_VALUE | (success ? 0 : HEDDLE_EF_FAILED));
      e.value = op.kind == HEDDLE_EV_ATOMIC_LOAD || !success ? value : after;  // what was read, or what is there now
    }
  }
  if (detector::on)
    detector::atomic(*t, p, op.size, op.kind, success ? op.order : op.failure_order, success, site);
}

namespace heddle::rt {
// Not the hot path, in one tail call.
void controlled_fence(Thread& t, uint32_t order, HeddleSite* site) {
  controlled_atomic(t, nullptr, 0, HEDDLE_EV_FENCE, site);
  if (detector::on) detector::fence(t, order);
}
}  // namespace heddle::rt

HEDDLE_EXPORT void __heddle_fence(uint32_t order, HeddleSite* site) {
  Thread* t = self;
  if (HEDDLE_UNLIKELY(!t)) return;
  if (HEDDLE_UNLIKELY(!may_stay() || !site_is_near(site))) return discipline.fence(*t, order, site);
  stay(*t, Op{HEDDLE_EV_FENCE, site_id(site), 0, 0});
  if (detector::on) detector::fence(*t, order);
}
