// Threads come under control and leave it for good.
#include "runtime/arena.h"
#include "runtime/control/backend.h"
#include "runtime/control/control.h"
#include "runtime/control/discipline.h"
#include "runtime/control/scheduler.h"
#include "runtime/control/strategy.h"

namespace heddle::rt {

Thread& new_thread(Thread& parent) {
  HEDDLE_CHECK(control.thread_count < HEDDLE_MAX_THREADS);
  if (control.thread_count == control.enabled_capacity) {
    uint32_t* bigger =
        arena_new<uint32_t>(control.enabled_capacity = control.enabled_capacity ? control.enabled_capacity * 2 : 16);
    for (uint32_t i = 0; i < control.enabled_count; i++) bigger[i] = control.enabled[i];
    control.enabled = bigger;
  }
  uint32_t index = control.thread_count++;
  Thread& t = control.threads[index];
  t.index = index;
  t.info = &area<HeddleThreadInfo>(HEDDLE_AREA_THREADS)[index];
  *t.info = HeddleThreadInfo{};
  t.info->parent = parent.index;
  t.info->ordinal = &t == &parent ? 0 : ++parent.children;
  t.budget = t.progress.patience = kHookBudget;
  discipline.thread_made(t);
  region->result.thread_count = control.thread_count;
  t.name = index == 0 ? 1 : (parent.name ^ t.info->ordinal) * 0x9e3779b1u + 0x7f4a7c15u;
  strategy->thread_created(index);
  return t;
}

void thread_finished(Thread& t) { discipline.finish(t); }

void controlled_finish(Thread& t) {
  control.dirty = true;
  t.finished = true;
  t.state = HEDDLE_T_DONE;
  t.info->state = HEDDLE_T_DONE;
  control.live--;
  if (control.live == 0) return;  // the last thread: the process ends by itself
  Thread* next = choose(&t);
  control.dying = &t;
  backend->leave_to(t, next);
}

void await_dying() {
  Thread& t = *control.dying;
  control.dying = nullptr;
  const uint32_t tid = __atomic_load_n(t.backend.tid_word, __ATOMIC_ACQUIRE);  // 0: gone
  while (tid && __atomic_load_n(t.backend.tid_word, __ATOMIC_ACQUIRE) == tid)
    futex_wait(t.backend.tid_word, tid, 100'000'000, true);
}

}  // namespace heddle::rt
