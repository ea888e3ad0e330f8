// Threads that do nothing but look: who spins must give way, time passes for them, and when nobody ever does anything else it is a
// livelock.
#include "runtime/control/quiet.h"

#include <sys/syscall.h>
#include <time.h>

#include "runtime/control/control.h"
#include "runtime/control/scheduler.h"
#include "runtime/io/io.h"
#include "runtime/strategy/strategy.h"

namespace heddle::rt {

void unproductive() {
  control.quiet_steps++;
  if (HEDDLE_UNLIKELY(++self->unproductive > kSpinLimit)) control.stay_until = 0;
}

void polled_outside() {
  control.quiet_steps = 0;
  if (HEDDLE_UNLIKELY(++self->unproductive > kSpinLimit)) control.stay_until = 0;
}

void productive() {
  self->unproductive = 0;
  control.quiet_steps = 0;
}

// Spinning threads burn no virtual time worth the name: let the next deadline come instead of counting to it.
void let_time_pass_for_spinners() {
  if (region->run.feed) return;  // the jumps of the recording are among its inputs
  if (control.out) {             // what they wait for takes real time, which steps of spinning would only burn
    timespec time{0, 100'000};
    if (control.quiet_steps % 64 == 0) raw_syscall(SYS_nanosleep, &time, nullptr);
    return;
  }
  if (control.quiet_steps <= kQuietBeforeJump * control.enabled_count || control.next_deadline == ~0ull) return;
  if (control.now < control.next_deadline) {
    io_time_passed(control.steps, control.next_deadline - control.now);
    control.now = control.next_deadline;
  }
  control.quiet_steps = 0;
  rebuild_enabled();
}

bool too_quiet() {
  if (region->run.feed && replay_has_more()) return false;  // the recording went on
  return control.quiet_steps > kQuietIsLivelock && !control.out && control.next_deadline == ~0ull;
}

}  // namespace heddle::rt
