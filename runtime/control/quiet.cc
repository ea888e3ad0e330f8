// Threads that do nothing but look: who spins must give way, time passes for them, and when nobody ever does anything
// else it is a livelock.
#include "runtime/control/quiet.h"

#include <sys/syscall.h>
#include <time.h>

#include "runtime/control/control.h"
#include "runtime/control/scheduler.h"
#include "runtime/control/io.h"
#include "runtime/control/strategy.h"
#include "runtime/table.h"

namespace heddle::rt {

void unproductive() {
  control.quiet_steps++;
  control.looks++;
  if (HEDDLE_UNLIKELY((++self->progress.unproductive > kSpinLimit) | many_looks())) control.stay_until = 0;
}

void polled_outside() {
  control.quiet_steps = 0;
  control.looks = 0;
  if (HEDDLE_UNLIKELY(++self->progress.unproductive > kSpinLimit)) control.stay_until = 0;
}

void looked_at(const volatile void* address, uint64_t value) {
  Thread& t = *self;
  const uint64_t look = mix_bits((uint64_t)address ^ value * 0x9e3779b97f4a7c15ull) | 1;
  for (const uint64_t seen : t.progress.seen)
    if (seen == look) return unproductive();
  t.progress.seen[t.progress.seen_next++ % kRememberedReads] = look;
}

void productive() {
  self->progress.unproductive = 0;
  control.quiet_steps = 0;
  control.looks = 0;
}

// Spinning threads burn no virtual time worth the name: let the next deadline come instead of counting to it.
void let_time_pass_for_spinners() {
  if (region->run.feed) return;  // the jumps of the recording are among its inputs
  if (control.out) {             // what they wait for takes real time, which steps of spinning would only burn
    static uint64_t slept_at = 0;
    timespec time{0, 100'000};
    if (control.quiet_steps >= slept_at && control.quiet_steps - slept_at < 64) return;
    slept_at = control.quiet_steps;
    raw_syscall(SYS_nanosleep, &time, nullptr);
    if (control.inside_waits) control.dirty = true;  // who is out may have made something ready
    return;
  }
  const bool cpu_timer = io_timer_cpu_step != ~0ull;
  if (control.quiet_steps <= kQuietBeforeJump * control.enabled_count || (control.next_deadline == ~0ull && !cpu_timer))
    return;
  uint64_t ns =
      cpu_timer ? (io_timer_cpu_step > control.steps ? io_timer_cpu_step - control.steps : 0) * kStepTick : ~0ull;
  if (control.next_deadline != ~0ull) {
    const uint64_t left = control.now < control.next_deadline ? control.next_deadline - control.now : 0;
    if (left < ns) ns = left;
  }
  if (ns) {
    io_time_burnt(control.steps, ns);
    control.now += ns;
    if (cpu_timer) io_timer_cpu_step -= ns / kStepTick;
  }
  control.quiet_steps = 0;
  rebuild_enabled();
}

bool too_quiet() {
  if (region->run.feed && replay_has_more()) return false;  // the recording went on
  return control.quiet_steps > kQuietIsLivelock && !control.out && control.next_deadline == ~0ull &&
         io_timer_cpu_step == ~0ull;
}

// Which switches are forced is part of the trace (they are no preemptions), so nothing here may depend on real time.
bool schedule_must_be_fair() {
  const uint64_t looks = kQuietBeforeFair * control.live;
  return control.looks > (looks < kMostBeforeFair ? looks : kMostBeforeFair) || control.steps > control.max_steps / 2;
}

// Round robin with turns of changing length: threads that get in each other's way in step, each time anew, are let
// past.
uint32_t fair_choice() {
  constexpr uint32_t kShortest = 64, kLongest = 4096,
                     kRounds = 10;  // long turns: few switches for who reads or simplifies the trace
  const uint64_t share = kQuietIsLivelock / kRounds / control.enabled_count;
  const uint64_t longest = share < kShortest ? kShortest : share > kLongest ? kLongest : share;
  static uint32_t turn_of = ~0u, left = 0;
  uint32_t next = ~0u, first = control.enabled[0];
  for (uint32_t i = 0; i < control.enabled_count; i++) {
    const uint32_t index = control.enabled[i];
    if (index == turn_of && left) return left--, index;
    if (index > turn_of && next == ~0u) next = index;
  }
  turn_of = next == ~0u ? first : next;
  left = (uint32_t)(mix_bits(control.steps) % longest);
  return turn_of;
}

}  // namespace heddle::rt
