// The replay of a recording, under control: threads stop where they stopped there, and time passes as it did.
#include "runtime/control/control.h"
#include "runtime/parallel/parallel.h"
#include "runtime/control/strategy.h"

namespace heddle::rt {

void set_stop(Thread& t, uint64_t entry) {
  t.sync.cancel_seen = t.sync.cancel_requested;
  const uint32_t stop = entry < region->run.stop_count ? area<uint32_t>(HEDDLE_AREA_STOPS)[entry] : 0;
  t.recording.stops_here = stop != 0;
  t.budget = stop ? (int32_t)stop - 1 : kHookBudget;
}

void let_recorded_time_pass() {
  const uint32_t expected = replay_next_thread();
  if (expected >= control.thread_count) return;
  Thread& t = control.threads[expected];
  if (t.state != HEDDLE_T_PENDING || !t.expiry.deadline || can_run(t)) return;
  control.now = t.expiry.deadline;
  rebuild_enabled();
}

}  // namespace heddle::rt
