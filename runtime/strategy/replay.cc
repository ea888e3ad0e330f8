// Follows a recorded schedule. Where it cannot, it says so (kDiverged) and never guesses, unless the run is not strict:
// then it stays with the current thread, or the first enabled one.
#include "runtime/control/strategy.h"

namespace heddle::rt {
namespace {

const HeddleSegment* segments;
uint64_t segment_count, position;
uint64_t asked_at;  // step of the last question
uint64_t used;      // of the segment's steps, up to that question
bool strict;

void start(const HeddleRun& run) {
  segments = area<HeddleSegment>(HEDDLE_AREA_SCHEDULE);
  segment_count = run.schedule_count;
  position = 0;
  used = 0;
  asked_at = 0;
  strict = run.strict != 0;
}
void thread_created(uint32_t) {}

uint32_t fall_back(const View& v) {
  for (uint32_t i = 0; i < v.count; i++)
    if (v.enabled[i] == v.current && !v.yielding) return i;
  return 0;
}

uint32_t choose(View& v) {
  if (v.step > asked_at) used += v.step - asked_at - 1;  // the thread stayed as promised
  asked_at = v.step;
  while (position < segment_count && used >= segments[position].steps) position++, used = 0;
  if (position == segment_count) return strict ? kDiverged : fall_back(v);
  for (uint32_t i = 0; i < v.count; i++) {
    if (v.enabled[i] != segments[position].thread) continue;
    used++;
    v.ask_again = v.step + 1 + (segments[position].steps - used);
    return i;
  }
  return strict ? kDiverged : fall_back(v);
}

}  // namespace

uint32_t replay_expected_thread() { return position < segment_count ? segments[position].thread : ~0u; }
uint32_t replay_next_thread() {
  uint64_t at = position, done = used;
  while (at < segment_count && done >= segments[at].steps) at++, done = 0;
  return at < segment_count ? segments[at].thread : ~0u;
}
bool replay_has_more() {
  return position + 1 < segment_count || (position < segment_count && used < segments[position].steps);
}
bool replay_has_more_of(uint32_t thread) {
  for (uint64_t at = position; at < segment_count; at++)
    if (segments[at].thread == thread && (at != position || used < segments[at].steps)) return true;
  return false;
}
// The schedule decides when.
const Strategy replay_strategy{start, thread_created, choose, [](const Thread&) { return true; }};

}  // namespace heddle::rt
