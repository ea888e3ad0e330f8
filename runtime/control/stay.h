// The decision to go on with the same thread when nobody has a question: no strategy, no list of threads, no call.
// Most points of most runs end here, so it is straight-line code in the hooks.
#pragma once
#include "runtime/control/control.h"
#include "runtime/control/recording.h"

namespace heddle::rt {

// One step more: `t` is about to execute `op`.
__attribute__((always_inline)) inline void count_step(Thread& t, const Op& op) {
  HeddleResult& r = region->result;
  uint32_t hash = heddle_step_hash(t.index, op.kind, op.site, op.object);
  r.steps = ++control.steps;
  control.now += kStepTick;
  control.hash = (control.hash ^ hash) * 0x100000001b3ull + 0x9e37;
  r.hash = control.hash;
  HeddleThreadInfo& info = *t.info;
  info.hash = (info.hash ^ hash) * 0x100000001b3ull;
  info.steps++;
}

/// True: stay() is what the scheduler would do.
inline bool may_stay() {
  return HEDDLE_LIKELY((control.steps < control.stay_until) & !control.dirty & (control.now < control.next_deadline) &
                       (__atomic_load_n(&control.returns, __ATOMIC_ACQUIRE) == control.seen_returns));
}

inline void stay(Thread& t, const Op& op) {
  t.progress.patience = kHookBudget;
  HeddleThreadInfo& info = *t.info;
  info.pending_kind = op.kind;
  info.pending_site = op.site;
  info.pending_object = op.object;
  info.pending_address = op.address;
  count_step(t, op);
  recording.segment->steps++;
}

}  // namespace heddle::rt
