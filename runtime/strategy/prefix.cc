// Follows a schedule as far as it goes, then lets each thread run until it blocks, yields or ends: the part of ICB, DFS
// and DPOR that runs in the program (src/hunt/enumeration.h has the rest). Where the schedule names a thread that
// cannot run, it is at its end.
#include "runtime/control/strategy.h"

namespace heddle::rt {
namespace {

const HeddleSegment* segments;
uint64_t segment_count, position, used;

void start(const HeddleRun& run) {
  segments = area<HeddleSegment>(HEDDLE_AREA_SCHEDULE);
  segment_count = run.schedule_count;
  position = used = 0;
}
void thread_created(uint32_t) {}

// The next one behind the current: threads that yield to each other all get their turn.
uint32_t go_on(const View& v) {
  uint32_t after = v.count;
  for (uint32_t i = 0; i < v.count; i++) {
    if (v.enabled[i] == v.current && !v.yielding) return i;
    if (after == v.count && v.enabled[i] > v.current) after = i;
  }
  return after < v.count ? after : 0;
}

uint32_t choose(View& v) {
  while (position < segment_count && used >= segments[position].steps) position++, used = 0;
  if (position < segment_count) {
    used++;
    for (uint32_t i = 0; i < v.count; i++)
      if (v.enabled[i] == segments[position].thread) return i;
    position = segment_count;
  }
  return go_on(v);
}

}  // namespace

// An enumeration must end: the first early time-outs of each thread are choices, its later waits take their time.
const Strategy prefix_strategy{start, thread_created, choose,
                               [](const Thread& t) { return t.expiry.early_timeouts < HEDDLE_ENUMERATED_TIMEOUTS; }};

}  // namespace heddle::rt
