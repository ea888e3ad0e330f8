// Steps on their way into the log of a recording. Inline: a lock that nobody contends for is little more than this.
//
// Each thread writes a log of its own (abi/step_log.h), and gives its steps numbers as Lamport's clocks do: a step's
// number is at least that of the thread's last step, and greater than those of all steps of other threads that it must
// come after. So no location is written by every step of every thread. The order of all steps is that of (number,
// thread), and of equal ones that of the thread; it contains each order that a replay needs:
//
//   operations on one mutex   the object keeps the number of its last step (Object::last_step), written while its word
//                             is busy, or by the holder of the baton
//   steps with the baton      each comes after the last one, and after whatever the threads that gave the baton back
//                             had done until then (baton_clock)
//   memory                    terms.h, owners.h: who takes a stripe over comes after its owner, as far as that had come
//   NoFreeSteps               comes after all steps before it, and all later ones after it: the floor
//
// A thread that meets no other one stays at its number, so that its steps stay together: each change of the thread in
// the log costs the trace and its replay something.
//
// The floor is a number that every later step has at least: read by every step, written now and then. It also makes
// numbers of different threads differ little (kFloorStep, kMostOfNumber), so that the order is nearly that of time:
// what comes behind the last step of a thread that ended the process is not part of the recording.
//
// An entry is written before others can learn of its number. So whenever the process is killed, the log has, with each
// step, all that it comes after.
#pragma once
#include "abi/step_log.h"
#include "runtime/control/control.h"
#include "runtime/parallel/terms.h"

namespace heddle::rt {

constexpr uint64_t kFloorStep = 16;
constexpr uint32_t kMostOfNumber = 32;  // steps of one thread

extern OwnLine<uint64_t> clock_floor;
struct BatonClock {  // the holder's
  uint64_t number;
  uint32_t by;  // the only thread that has done something of that number with the baton; or kSeveral
};
constexpr uint32_t kSeveral = ~0u;
extern BatonClock baton_clock;
struct StepLog {            // the holder's, too
  uint64_t used, capacity;  // bytes of the area
  bool ended;               // no room: what follows is not recorded
};
extern OwnLine<StepLog> step_log;
void step_log_start();

/// Every step that is numbered from here on has at least that number.
void raise_floor(uint64_t number);
/// With the baton: every later step with the baton comes after what thread `by` has done up to that number.
inline void baton_comes_after(uint64_t number, uint32_t by) {
  if (number < baton_clock.number || (number == baton_clock.number && by == baton_clock.by)) return;
  baton_clock = {number, number > baton_clock.number ? by : kSeveral};
}

/// For one more step.
inline bool has_room_for_step(const Thread& t) {
  return t.recording.log_end - t.recording.log_next >= HEDDLE_LOG_ENTRY_WORDS;
}

/// A kill finds the entry whole or not at all.
inline void append_step(Thread& t, uint64_t number, const Op& op, uint32_t hooks) {
  uint64_t words[HEDDLE_LOG_ENTRY_WORDS];
  const uint32_t what = op.kind == HEDDLE_EV_HANDOVER ? hooks : op.site;
  const uint32_t count = heddle_entry_words(op.kind, what, op.object, number - t.recording.last_step, words);
  if (HEDDLE_UNLIKELY(count > 1)) __atomic_store_n(&t.recording.log_next[1], words[1], __ATOMIC_RELAXED);
  __atomic_store_n(&t.recording.log_next[0], words[0], __ATOMIC_RELEASE);
  t.recording.log_next += count;
}

// What a step begins for its thread.
inline void begin_stretch(Thread& t) {
  t.sync.cancel_seen = t.sync.cancel_requested;
  t.budget = kHookBudget;
  t.recording.hook_place = 0;
  t.info->steps++;
}

/// The number of the thread's next step, which comes after that one of `by`.
inline uint64_t next_number(Thread& t, uint64_t number, uint32_t by) {
  const uint64_t floor = __atomic_load_n(&clock_floor.value, __ATOMIC_ACQUIRE);
  number += by != t.index;
  if (floor > number) number = floor;
  if (t.recording.step_clock > number) number = t.recording.step_clock;
  if (number > t.recording.last_step || ++t.recording.of_number == kMostOfNumber) {
    t.recording.of_number = 0;
    number += number == t.recording.last_step;
  }
  return number;
}

/// Its entry is in the log.
inline void step_is_taken(Thread& t, uint64_t number) {
  if (number != t.recording.last_step) {
    t.recording.last_step = number;
    __atomic_store_n(&t.recording.step_clock, number, __ATOMIC_RELEASE);
    see_shared(t);
    if (HEDDLE_UNLIKELY(number > __atomic_load_n(&clock_floor.value, __ATOMIC_RELAXED) + kFloorStep))
      raise_floor(number);
  }
  place_is_safe(t);  // until then the last one is true
}

/// log_step() without the baton (free_steps.h), if there is room: behind the step of that number of `by`.
inline void log_free_step(Thread& t, const Op& op, uint32_t hooks, uint64_t number, uint32_t by) {
  begin_stretch(t);
  number = next_number(t, number, by);
  append_step(t, number, op, hooks);
  step_is_taken(t, number);
}

}  // namespace heddle::rt
