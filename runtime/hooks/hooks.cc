// The hooks of abi/hooks.h: forward only. Policy is in the scheduler, the detector and the recording.
//
// Hot path of a plain access that is no scheduling point: thread, site state, hook budget, detector's same-epoch test.
// tests/perf counts its instructions.
#include "abi/hooks.h"

#include <string.h>

#include "runtime/control/control.h"
#include "runtime/control/discipline.h"
#include "runtime/control/recording.h"
#include "runtime/control/scheduler.h"
#include "runtime/control/stay.h"
#include "runtime/detector/fast_path.h"
#include "runtime/hooks/access.h"
#include "runtime/hooks/sites.h"
#include "runtime/control/io.h"
#include "runtime/parallel/owners.h"
#include "runtime/parallel/parallel.h"

namespace heddle::rt {

uint32_t every_access_slow;  // detail or point set wants to see each access

void record_access(Thread& t, const volatile void* p, uint32_t size, uint32_t kind, HeddleSite* site, uint64_t length) {
  HeddleEvent e{};
  e.address = (uint64_t)p;
  e.value = length;
  e.site = site_id(site);
  e.thread = (uint16_t)t.index;
  e.kind = (uint8_t)kind;
  e.flags = (uint8_t)(length ? (uint32_t)HEDDLE_EF_VALUE : size_log2(size));
  e.stack = t.info->pending_stack;
  t.events.last = emit(t, e) + 1;
}

// The program's stack is about to overflow: better in its own code than in the middle of ours, since it may handle
// that.
bool nearly_overflows(const Thread& t, const void* frame) {
  uint64_t reserve = (t.stack_high - t.stack_low) / 8;
  return (uint64_t)frame - t.stack_low < (reserve < 16384 ? reserve : 16384);
}

// What a thread shares with a handler that interrupts it is no race, so nobody learns that it should be a point. By the
// standard it is volatile, if not atomic. Not what lies on its own stack, and not without end: it may be a computation,
// whose steps would look like a livelock.
static bool shared_with_handler(Thread& t, const volatile void* p, const HeddleSite* site) {
  constexpr uint16_t kMost = 1000;
  static uint16_t passed[HEDDLE_MAX_THREADS];
  const bool counted =
      (site->flags & HEDDLE_SITE_VOLATILE) && (site->state & HEDDLE_SITE_COUNTED);  // has its hook in every clone
  if (!counted || region->run.point_set != HEDDLE_POINTS_RACY) return false;
  if ((uint64_t)p >= t.stack_low && (uint64_t)p < t.stack_high) return false;
  return passed[t.index] < kMost && ++passed[t.index];
}

// An access that is a point, or whose detail is wanted. Not the hot path.
__attribute__((noinline)) void access_slow(Thread& t, const volatile void* p, uint32_t size, uint32_t kind,
                                           HeddleSite* site, uint64_t length, void* frame, void* caller,
                                           bool is_point) {
  read_back_if_needed(t, frame);
  if (HEDDLE_UNLIKELY(nearly_overflows(t, frame))) return;
  bool is_write = kind == HEDDLE_EV_WRITE || kind == HEDDLE_EV_WRITE_RANGE;
  is_point |= (site->state & HEDDLE_SITE_POINT) || region->run.point_set == HEDDLE_POINTS_ALL;
  if (recording.detail >= HEDDLE_DETAIL_POINTS) t.info->pending_stack = capture_stack(frame, caller);
  if (is_point) {
    const Op op{kind, site_id(site), 0, (uint64_t)p, length ? (uint32_t)(length < ~0u ? length : ~0u) : size};
    may_stay() ? stay(t, op) : point_here(t, op);
    is_write ? productive() : looked_at(p, 0);  // its value is not read here: the address may be bad
    if (recording.detail >= HEDDLE_DETAIL_POINTS) {
      event_at(t.events.last - 1).flags |= (uint8_t)size_log2(size);
      if (length) last_event_value(length);
    }
  } else if (recording.detail >= HEDDLE_DETAIL_ACCESSES) {
    record_access(t, p, size, kind, site, length);
  }
  if (recording.detail < HEDDLE_DETAIL_ACCESSES || length) return;
  if (is_write) {
    t.events.written = t.events.last;
    t.events.written_address = p;
    t.events.written_size = size;
  } else if (uint64_t value; io_peek(p, size, &value)) {
    last_event_value(value);
  }
}

// It gives way to nobody, but signals and cancellation reach it.
static void computation_goes_on(Thread& t) {
  region->result.progress++;
  const int32_t patience = t.progress.patience;
  io_deliver_signals();
  t.progress.patience = patience;
  if (HEDDLE_UNLIKELY(t.sync.cancel_requested)) asynchronous_cancellation(t);
}

void controlled_budget_spent(Thread& t, const HeddleSite* site) {
  const bool watched = spin_saw(t, site);
  region->result.progress++;
  region->result.access_count += watched ? 1 : kHookBudget;
  t.budget = watched ? 1 : kHookBudget;
}

void controlled_patience_spent(Thread& t, const HeddleSite* site, uint32_t outcome, const volatile void* address) {
  if (spin_continues(t, site, outcome, address)) {
    if (t.progress.patience > 1) computation_goes_on(t);
    return;
  }
  region->result.progress++;
  point_yielding(Op{HEDDLE_EV_BUDGET, 0, 0, 0});
  spin_resumed(t);
  if (t.sync.cancel_requested) asynchronous_cancellation(t);
}

// A volatile access, or one of code without branch hooks.
static void count_access(Thread& t, const HeddleSite* site, const volatile void* p) {
  if (--t.progress.patience <= 0) discipline.patience_spent(t, site, 0, p);
}

// The register of results goes back to the program like a value, and may be pushed where a dead variable lies (`push
// %rax` aligns a stack). That is what is then read back as the variable's value, so it must not say how many events
// there were.
__attribute__((always_inline)) inline void leave_no_result() { __asm__ volatile("xorl %%eax, %%eax" ::: "rax", "cc"); }

// Everything that is not the hot path, in one tail call: the hook itself then needs no registers saved and no frame.
template <bool kWrite, uint32_t kSize>
__attribute__((noinline)) void plain_slow(Thread& t, const volatile void* p, HeddleSite* site) {
  // Before the access: nobody else may run between its event and itself.
  if (t.budget <= 0) discipline.budget_spent(t, site);
  if (HEDDLE_LIKELY(parallel)) return own<kWrite>(t, p, kSize);
  if (site->state & HEDDLE_SITE_COUNTED) count_access(t, site, p);
  const bool for_signals = HEDDLE_UNLIKELY(signals_at_points) && shared_with_handler(t, p, site);
  if ((site->state & HEDDLE_SITE_POINT) | every_access_slow | for_signals)
    access_slow(t, p, kSize, kWrite ? HEDDLE_EV_WRITE : HEDDLE_EV_READ, site, 0, __builtin_frame_address(0),
                __builtin_return_address(0), for_signals);
  if constexpr (kWrite)
    detector::write(t, p, kSize, site);
  else
    detector::read(t, p, kSize, site);
  if (site->state & HEDDLE_SITE_POINT) detector::point_passed(t);
  leave_no_result();
}

template <bool kWrite, uint32_t kSize>
__attribute__((always_inline)) inline void plain(const volatile void* p, HeddleSite* site) {
  Thread* t = self;
  if (HEDDLE_UNLIKELY(!t)) return;
  if (HEDDLE_UNLIKELY(--t->budget <= 0)) return plain_slow<kWrite, kSize>(*t, p, site);
  if (HEDDLE_UNLIKELY(parallel)) return own<kWrite>(*t, p, kSize);
  if (HEDDLE_UNLIKELY(site->state | every_access_slow)) return plain_slow<kWrite, kSize>(*t, p, site);
  if constexpr (kWrite)
    detector::write<kSize>(*t, p, site);
  else
    detector::read<kSize>(*t, p, site);
}

inline void range(const volatile void* p, size_t length, bool is_write, HeddleSite* site) {
  Thread* t = self;
  if (!t || !length) return;
  if (--t->budget <= 0) discipline.budget_spent(*t, site);  // before the access, as in plain_slow()
  if (HEDDLE_UNLIKELY(site->state & HEDDLE_SITE_COUNTED)) count_access(*t, site, p);
  if (HEDDLE_UNLIKELY(parallel)) return is_write ? own_destination(*t, p, length) : own_source(*t, p, length);
  if ((site->state & HEDDLE_SITE_POINT) | every_access_slow)
    access_slow(*t, p, 0, is_write ? HEDDLE_EV_WRITE_RANGE : HEDDLE_EV_READ_RANGE, site, length,
                __builtin_frame_address(0), __builtin_return_address(0), false);
  if (detector::on) detector::range(*t, p, length, is_write, site, 0);
  if (site->state & HEDDLE_SITE_POINT) detector::point_passed(*t);
}

}  // namespace heddle::rt

using namespace heddle::rt;

#define HEDDLE_PLAIN(size)                                                                                            \
  HEDDLE_EXPORT void __heddle_read##size(const volatile void* p, HeddleSite* site) { plain<false, size>(p, site); } \
  HEDDLE_EXPORT void __heddle_write##size(const volatile void* p, HeddleSite* site) { plain<true, size>(p, site); }
HEDDLE_PLAIN(1)
HEDDLE_PLAIN(2)
HEDDLE_PLAIN(4)
HEDDLE_PLAIN(8)
HEDDLE_PLAIN(16)

HEDDLE_EXPORT void __heddle_read_range(const volatile void* p, size_t n, HeddleSite* site) { range(p, n, false, site); }
HEDDLE_EXPORT void __heddle_write_range(const volatile void* p, size_t n, HeddleSite* site) { range(p, n, true, site); }

HEDDLE_EXPORT void __heddle_will_write(const volatile void* p, size_t n, HeddleSite*) {
  Thread* t = self;
  if (t && n && discipline.count_hook(*t)) own<true>(*t, p, n);
}

namespace heddle::rt {
static Thread* at_own_hook() {
  Thread* t = self;
  if (!t || preloaded) return nullptr;  // plain code has no hooks to stop at
  return discipline.count_hook(*t) ? t : nullptr;
}
void read_again(const void* p, size_t n) {
  if (!n) return;
  if (Thread* t = at_own_hook()) own<false>(*t, p, n);
}
void write_again(void* p, size_t n) {
  if (Thread* t = at_own_hook()) own<true>(*t, p, n);
}
void read_string_again(const char* string, size_t limit) {
  Thread* t = at_own_hook();
  if (!t) return;
  size_t owned = 0;
  for (size_t now; (now = strnlen(string, limit) + 1) > owned; owned = now) own<false>(*t, string, now);
}
}  // namespace heddle::rt

// As plain_slow(): one tail call, so that the hot path needs no frame.
namespace heddle::rt {
__attribute__((always_inline)) inline void count_branch(Thread& t, uint32_t outcome, HeddleSite* site) {
  const uint32_t flags = site->flags;
  if (flags == 0) return;
  if (flags & HEDDLE_SITE_COMPUTES) {
    if (HEDDLE_UNLIKELY(--t.budget <= 0)) discipline.budget_spent(t, site);
    return;
  }
  if (HEDDLE_UNLIKELY(--t.progress.patience <= 0)) discipline.patience_spent(t, site, outcome, nullptr);
}

void controlled_branch_told(Thread& t, uint32_t outcome, HeddleSite* site) { count_branch(t, outcome, site); }

__attribute__((noinline)) void branch_slow(Thread& t, uint32_t outcome, HeddleSite* site) {
  read_back_if_needed(t, HEDDLE_THIS_FRAME);
  if (recording.detail >= HEDDLE_DETAIL_BRANCHES) {
    HeddleEvent e{};
    e.value = outcome;
    e.site = site_id(site);
    e.thread = (uint16_t)t.index;
    e.kind = HEDDLE_EV_BRANCH;
    e.flags = HEDDLE_EF_VALUE;
    emit(t, e);
  }
  discipline.branch_told(t, outcome, site);
}
}  // namespace heddle::rt

HEDDLE_EXPORT void __heddle_branch(uint32_t outcome, HeddleSite* site) {
  Thread* t = self;
  if (HEDDLE_UNLIKELY(!t)) return;
  if (HEDDLE_UNLIKELY(by_places)) return discipline.branch(*t, outcome, site);
  if (HEDDLE_UNLIKELY(t->events.written | (recording.detail >= HEDDLE_DETAIL_BRANCHES)))
    return branch_slow(*t, outcome, site);
  count_branch(*t, outcome, site);
}
