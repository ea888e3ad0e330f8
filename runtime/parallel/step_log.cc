#include "runtime/parallel/step_log.h"

#include "runtime/parallel/free_steps.h"

namespace heddle::rt {

OwnLine<StepLog> step_log;

namespace {

uint64_t log_capacity;
bool log_ended;  // no room: what follows is not recorded

// Each thread may take one before it knows better, and reserve another. A thread that is made takes two steps with the
// baton, so that their number has doubled, at most, when the next room is made.
uint64_t room_for_free_steps() {
  constexpr uint64_t kThreads = 4096;
  return 2 * kThreads * (1 + control.thread_count / kThreads);
}

bool has_room(uint64_t steps) {
  return steps <= log_capacity && log_has_room(HEDDLE_AREA_STEPS, steps * sizeof(HeddleStep));
}

// With the baton: for the next step, and for those that others take meanwhile.
bool make_room() {
  const uint64_t& steps = region->result.steps;
  const uint64_t number = __atomic_load_n(&steps, __ATOMIC_RELAXED);
  if (HEDDLE_LIKELY(number < step_log.value.free_end)) return true;
  const uint64_t room = room_for_free_steps();
  if (has_room(number + 3 * room)) {
    __atomic_store_n(&step_log.value.free_end, number + room, __ATOMIC_RELAXED);
    return true;
  }
  if (step_log.value.free_end) {
    __atomic_store_n(&step_log.value.free_end, (uint64_t)0, __ATOMIC_RELAXED);
    const NoFreeSteps until_all_have_seen_it;
  }
  return has_room(__atomic_load_n(&steps, __ATOMIC_RELAXED) + 1);
}

}  // namespace

void step_log_start() {
  step_log.value.base = area<HeddleStep>(HEDDLE_AREA_STEPS);
  log_capacity = area_capacity<HeddleStep>(HEDDLE_AREA_STEPS);
}

void log_step(Thread& t, const Op& op, uint32_t hooks) {
  HeddleResult& r = region->result;
  // Who sleeps until this thread stops is answered by no step that it goes on from.
  if (HEDDLE_LIKELY(!t.recording.wanted)) t.request.asked = kRequestNone;
  begin_stretch(t);
  see_shared(t, shared_count.value);
  if (HEDDLE_UNLIKELY(log_ended)) return;
  if (HEDDLE_UNLIKELY(!make_room())) {
    r.overflow |= 1u << HEDDLE_AREA_STEPS;
    log_ended = true;
    return;
  }
  const uint64_t number = __atomic_fetch_add(&r.steps, 1, __ATOMIC_ACQ_REL);
  control.steps = t.recording.last_step = number + 1;
  write_step(number, t, op, hooks);
  place_is_safe(t);  // until then the last one is true
}

}  // namespace heddle::rt
