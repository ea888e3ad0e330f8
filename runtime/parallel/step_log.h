// Steps on their way into the log of a recording. Inline: a lock that nobody contends for is little more than this.
#pragma once
#include "runtime/control/control.h"
#include "runtime/parallel/owners.h"
#include "runtime/parallel/terms.h"

namespace heddle::rt {

struct StepLog {
  HeddleStep* base;
  uint64_t free_end;  // there is room for free steps with a smaller number
};
extern OwnLine<StepLog> step_log;
void step_log_start();

// A kill finds it whole or not at all: its kind is in the word that is written last.
inline void write_step(uint64_t number, const Thread& t, const Op& op, uint32_t hooks, uint8_t flags = 0) {
  HeddleStep step{(uint16_t)t.index, (uint8_t)op.kind, flags, op.site, op.object, hooks};
  uint64_t words[2];
  static_assert(sizeof step == sizeof words);
  __builtin_memcpy(words, &step, sizeof words);
  auto* to = reinterpret_cast<uint64_t*>(&step_log.value.base[number]);
  __atomic_store_n(&to[1], words[1], __ATOMIC_RELAXED);
  __atomic_store_n(&to[0], words[0], __ATOMIC_RELEASE);
}

// What a step begins for its thread.
inline void begin_stretch(Thread& t) {
  t.sync.cancel_seen = t.sync.cancel_requested;
  t.budget = kHookBudget;
  t.recording.hook_place = 0;
  t.recording.claimed_after = 0;
  t.info->steps++;
}

/// By the number of its own last step, since the count of all is what others write: so it may take one more before it
/// knows better.
inline bool free_step_has_room(const Thread& t) {
  return t.recording.last_step < __atomic_load_n(&step_log.value.free_end, __ATOMIC_RELAXED);
}

/// log_step() without the baton (free_steps.h), if there is room.
inline void log_free_step(Thread& t, const Op& op, uint32_t hooks) {
  begin_stretch(t);
  // Before the number: the last write to a stripe that is shared by now has a smaller one.
  see_shared(t, __atomic_load_n(&shared_count.value, __ATOMIC_ACQUIRE));
  const uint64_t number = __atomic_fetch_add(&region->result.steps, 1, __ATOMIC_ACQ_REL);
  t.recording.last_step = number + 1;
  write_step(number, t, op, hooks);
  place_is_safe(t);
}

// A lock and the unlock behind it take one number each, and the counter of all steps is what threads meet at most. So a
// lock can reserve the next number, too, and an unlock takes it if it is the thread's next step. Others may have taken
// later numbers meanwhile, but none of their steps depends on whether the mutex was released before: who finds it
// locked leaves it to the model, and then this unlock does the same. Memory that others wrote meanwhile the thread can
// only have by a step of its own, since the number of its last one is smaller than theirs.
//
//   lock (5, reserves 6)  x = 1                      unlock (6)  ...
//                                other: lock b (7)

/// Of a lock.
inline void log_free_step_and_reserve(Thread& t, const Op& op) {
  begin_stretch(t);
  see_shared(t, __atomic_load_n(&shared_count.value, __ATOMIC_ACQUIRE));
  const uint64_t number = __atomic_fetch_add(&region->result.steps, 2, __ATOMIC_ACQ_REL);
  t.recording.reserved_behind = t.recording.last_step = number + 1;
  write_step(number + 1, t, Op{HEDDLE_EV_MUTEX_UNLOCK, 0, 0, 0}, 0, HEDDLE_STEP_OPEN);
  write_step(number, t, op, 0);
  place_is_safe(t);
}

inline bool next_is_reserved(const Thread& t) {
  return t.recording.reserved_behind && t.recording.reserved_behind == t.recording.last_step;
}

/// Of an unlock, if next_is_reserved(). What is shared by now may have been written behind that number: the thread
/// knows of no more than before.
inline void log_reserved_step(Thread& t, const Op& op) {
  begin_stretch(t);
  const uint64_t number = t.recording.last_step++;
  t.recording.reserved_behind = 0;
  write_step(number, t, op, 0);
  place_is_safe(t);
}

}  // namespace heddle::rt
