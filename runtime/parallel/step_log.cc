#include "runtime/parallel/step_log.h"

#include "runtime/parallel/free_steps.h"
#include "runtime/parallel/owners.h"
#include "runtime/parallel/parallel.h"
#include "runtime/parallel/spins.h"

namespace heddle::rt {

OwnLine<uint64_t> clock_floor;
BatonClock baton_clock;
OwnLine<StepLog> step_log;

namespace {

// The first chunk of a thread is small, since there may be thousands of them; each of the next is twice as large.
constexpr uint32_t kSmallestChunk = chunk_bytes(HEDDLE_SMALLEST_CHUNK), kLargestChunk = chunk_bytes(256 << 10);

bool begin_chunk(Thread& t, uint32_t bytes) {
  StepLog& log = step_log.value;
  if (log.used + bytes > log.capacity || !log_has_room(HEDDLE_AREA_STEPS, log.used + bytes)) return false;
  auto* chunk = reinterpret_cast<HeddleChunk*>(area<char>(HEDDLE_AREA_STEPS) + log.used);
  chunk->bytes = bytes;
  __atomic_store_n(&chunk->owner, t.index + 1, __ATOMIC_RELEASE);
  log.used += bytes;
  t.recording.log_next = reinterpret_cast<uint64_t*>(chunk + 1);
  t.recording.log_end = reinterpret_cast<uint64_t*>(chunk) + bytes / sizeof(uint64_t);
  t.recording.log_chunk = bytes < kLargestChunk ? 2 * bytes : bytes;
  return true;
}

// With the baton.
bool make_room(Thread& t) {
  if (HEDDLE_LIKELY(has_room_for_step(t))) return true;
  if (begin_chunk(t, t.recording.log_chunk ? t.recording.log_chunk : kSmallestChunk)) return true;
  // Behind a full disk no input is recorded, so no step may be, either.
  const bool disk_is_full = region->result.overflow & (1u << HEDDLE_AREA_STEPS);
  return !disk_is_full && begin_chunk(t, kSmallestChunk);
}

// What follows is not recorded. Others have taken no step that comes after the one that has no room, and take none.
void end_log() {
  region->result.overflow |= 1u << HEDDLE_AREA_STEPS;
  step_log.value.ended = true;
  forbid_free_steps();
}

}  // namespace

void step_log_start() {
  step_log.value.capacity = region->area[HEDDLE_AREA_STEPS].size;
  clock_floor.value = 1;
}

void raise_floor(uint64_t number) {
  uint64_t floor = __atomic_load_n(&clock_floor.value, __ATOMIC_RELAXED);
  while (floor < number && !__atomic_compare_exchange_n(&clock_floor.value, &floor, number, false, __ATOMIC_SEQ_CST,
                                                        __ATOMIC_RELAXED)) {
  }
}

void log_step(Thread& t, const Op& op, uint32_t hooks) {
  // Who sleeps until this thread stops is answered by no step that it goes on from.
  if (HEDDLE_LIKELY(!t.recording.wanted)) t.request.asked = kRequestNone;
  begin_stretch(t);
  const uint64_t number = next_number(t, baton_clock.number, baton_clock.by);
  if (HEDDLE_UNLIKELY(!step_log.value.ended && !make_room(t))) end_log();
  if (HEDDLE_LIKELY(!step_log.value.ended)) {
    append_step(t, number, op, hooks);
    region->result.steps++;
  }
  baton_clock = {number, t.index};
  step_is_taken(t, number);
}

}  // namespace heddle::rt
