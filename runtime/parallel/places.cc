// Hooks of the program's code in a recording and in its replay. There the end of a thread's budget is a place,
// counted in hooks since its last step, and atomic operations are accesses like others.
#include "runtime/control/control.h"
#include "runtime/control/discipline.h"
#include "runtime/control/recording.h"
#include "runtime/hooks/access.h"
#include "runtime/control/io.h"
#include "runtime/parallel/owners.h"
#include "runtime/parallel/parallel.h"

namespace heddle::rt {
namespace {

// True: the thread was asked to end, as seen at a step: a replay sees the same there.
bool place_reached(Thread& t) {
  bool cancelled = false;
  do {
    const bool stops = t.recording.stops_here;
    t.budget = kHookBudget;
    if (!stops) {
      {
        const WithoutSignals until_the_step(t);  // the steps of their handlers count from it
        point_yielding(Op{HEDDLE_EV_BUDGET, 0, 0, 0});
      }
      cancelled = t.sync.cancel_requested;
      if (io_deliver_signals()) t.budget--;  // the rest of this hook is another one than the last of the handler
      continue;
    }
    const WithoutSignals here(t);  // who asked for the stop gave no opportunity
    point(Op{HEDDLE_EV_HANDOVER, 0, 0, 0});
  } while (t.budget == 0);
  return cancelled;
}

void count(Thread& t, const HeddleSite* site) {
  if (--t.budget <= 0) discipline.budget_spent(t, site);
}

// A signal's handler may run at the hook, and has atomic operations of its own.
class KeepAtomic {
 public:
  explicit KeepAtomic(Thread& t) : thread_(t), atomic_(t.hooks.atomic) {}
  ~KeepAtomic() { thread_.hooks.atomic = atomic_; }
  KeepAtomic(const KeepAtomic&) = delete;
  void nobody_wants_to_know() { atomic_.size = 0; }

 private:
  Thread& thread_;
  decltype(Thread::hooks.atomic) atomic_;
};

bool is_told(const HeddleSite* site, const Thread& t) {
  return site->flags || t.events.written | (recording.detail >= HEDDLE_DETAIL_BRANCHES);
}

__attribute__((noinline)) void stop_at_branch(Thread& t, const HeddleSite* site) {
  if (t.budget <= 0) return discipline.budget_spent(t, site);
  hook_passed(t);
}

}  // namespace

void followed_budget_spent(Thread& t, const HeddleSite*) {
  if (HEDDLE_UNLIKELY(place_reached(t))) asynchronous_cancellation(t);
}

void recorded_budget_spent(Thread& t, const HeddleSite*) {
  bool cancelled;
  {
    t.recording.hook_place = (uint32_t)(kHookBudget - t.budget) + 1;
    Inside inside;
    cancelled = place_reached(t);
  }
  if (HEDDLE_UNLIKELY(cancelled)) asynchronous_cancellation(t);
}

void endless_patience(Thread& t, const HeddleSite*, uint32_t, const volatile void*) {
  t.progress.patience = kHookBudget;
}

bool followed_count_hook(Thread& t) { return count(t, nullptr), false; }
bool recorded_count_hook(Thread& t) { return count(t, nullptr), true; }

void followed_branch(Thread& t, uint32_t outcome, HeddleSite* site) {
  if (is_told(site, t)) return branch_slow(t, outcome, site);
}

void followed_branch_told(Thread& t, uint32_t, HeddleSite* site) {
  if (site->flags) count(t, site);  // else a recording has no hook here
}

void recorded_branch(Thread& t, uint32_t, HeddleSite* site) {
  if (!site->flags) return;  // such calls come from other versions of the pass
  if (HEDDLE_LIKELY(--t.budget > 0 && !t.request.any)) return;
  return stop_at_branch(t, site);
}

void followed_atomic(Thread& t, const volatile void* p, uint32_t size, uint32_t kind, HeddleSite* site) {
  KeepAtomic atomic(t);
  count(t, site);
  if (recording.detail < HEDDLE_DETAIL_ACCESSES) return atomic.nobody_wants_to_know();
  read_back_if_needed(t, HEDDLE_THIS_FRAME);
  t.info->pending_stack = capture_stack(__builtin_frame_address(0), __builtin_return_address(0));
  record_access(t, p, size, kind, site, 0);
}

void recorded_atomic(Thread& t, const volatile void* p, uint32_t size, uint32_t kind, HeddleSite* site) {
  KeepAtomic atomic(t);
  atomic.nobody_wants_to_know();
  count(t, site);
  kind == HEDDLE_EV_ATOMIC_LOAD ? own<false>(t, p, size) : own<true>(t, p, size);
}

void followed_fence(Thread& t, uint32_t, HeddleSite* site) {
  count(t, site);
  if (recording.detail >= HEDDLE_DETAIL_ACCESSES) record_access(t, nullptr, 1, HEDDLE_EV_FENCE, site, 0);
}

void recorded_fence(Thread& t, uint32_t, HeddleSite* site) {
  count(t, site);
  hook_passed(t);
}

}  // namespace heddle::rt
