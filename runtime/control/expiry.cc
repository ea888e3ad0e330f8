#include "runtime/control/expiry.h"

#include "runtime/control/io.h"
#include "runtime/control/strategy.h"
#include "runtime/table.h"

namespace heddle::rt {
namespace {

constexpr uint64_t kMillisecond = 1'000'000, kSecond = 1000 * kMillisecond, kForEver = 3600 * kSecond;

// That the others are slow for so long is the less likely the longer it is.
uint32_t times_rarer(uint64_t ns) {
  return ns <= 10 * kMillisecond ? 1 : ns <= kSecond ? 2 : ns <= 60 * kSecond ? 4 : 8;
}

// A property of the wait, not of the moment: decided once, by seed, run, thread and how many such waits it had before.
bool coin(Thread& t) {
  const HeddleRun& run = region->run;
  const uint64_t roll = mix_bits(run_seed(run) ^ (uint64_t)t.name << 20 ^ t.expiry.timed_waits);
  t.expiry.expires_at_once = roll >> 8 & 1;
  return (roll & 255) * times_rarer(t.expiry.deadline - control.now) < run.early_timeouts;
}

}  // namespace

bool expires_when_due(Thread& t) {
  t.expiry.expires_at_once = false;
  t.expiry.timed_waits++;
  region->result.timed_waits++;
  return false;
}

bool may_expire_early(Thread& t) {
  expires_when_due(t);
  if (region->run.time_model != HEDDLE_TIME_LOOSE) return false;
  if (t.expiry.deadline <= control.now || t.expiry.deadline - control.now > kForEver) return false;
  return strategy->may_expire ? strategy->may_expire(t) : coin(t);
}

bool waits_for_time(Thread& t) {
  if (!t.expiry.may_expire || t.state != HEDDLE_T_PENDING || control.now >= t.expiry.deadline) return false;
  if (!t.ready || t.ready(t.argument)) return false;
  return !(t.sync.cancel_requested && cancel_wakes(t)) && !io_signal_waits(t);
}

uint64_t early_step_of_timer(uint64_t due, uint64_t number) {
  constexpr uint32_t kLongest = 10;  // 2^10 steps
  const HeddleRun& run = region->run;
  region->result.timed_waits++;
  if (run.time_model != HEDDLE_TIME_LOOSE || run.feed || strategy->may_expire) return ~0ull;
  if (due <= control.now || due - control.now > kForEver) return ~0ull;
  const uint64_t roll = mix_bits(run_seed(run) ^ 0x74696d6572 ^ number << 40);
  if ((roll & 255) * times_rarer(due - control.now) >= run.early_timeouts) return ~0ull;
  const uint64_t most =
      roll >> 39 & 1 ? 4 : 1ull << (1 + (roll >> 40) % kLongest);  // soon, or later: nobody knows when it matters
  return control.steps + 1 + (roll >> 8) % most;
}

namespace {
constexpr uint64_t kOneIn = 32;
uint64_t roll_of(uint64_t step) { return mix_bits(run_seed(region->run) + step * 0x9e3779b97f4a7c15ull); }
}  // namespace

// The step is chosen here, so it does not depend on how often the scheduler is asked (stay.h).
void clock_was_read() {
  const HeddleRun& run = region->run;
  control.clock_reads++;
  if (HEDDLE_UNLIKELY(io_timer_cpu_step != ~0ull)) {
    constexpr uint64_t kSteps = kClockReadTick / kStepTick;
    io_timer_cpu_step = io_timer_cpu_step > kSteps ? io_timer_cpu_step - kSteps : 0;
    if (io_timer_cpu_step < control.stay_until) control.stay_until = io_timer_cpu_step;
  }
  if (HEDDLE_LIKELY(!run.early_timeouts) || control.jump_step != ~0ull || run.feed || strategy->may_expire) return;
  control.jump_step = control.steps;
  while (roll_of(control.jump_step) % kOneIn) control.jump_step++;
  if (control.jump_step < control.stay_until) control.stay_until = control.jump_step;
}

void time_may_pass() {
  static constexpr uint64_t kJumps[] = {20'000, kMillisecond, 50 * kMillisecond, 2 * kSecond};
  if (HEDDLE_LIKELY(control.steps < control.jump_step)) return;
  const uint64_t ns = kJumps[roll_of(control.jump_step) / kOneIn % 4];
  control.jump_step = ~0ull;
  io_time_passed(control.steps, ns);
  control.now += ns;
}

namespace {
// Nobody else could have gone on, so time would have jumped there by itself. In a replay every wait may end early, and
// this is no choice.
bool is_next_anyway(const Thread& t) {
  if (control.out) return false;
  for (uint32_t i = 0; i < control.thread_count; i++) {
    Thread& other = control.threads[i];
    if (other.state != HEDDLE_T_PENDING || &other == &t) continue;
    if (other.expiry.deadline && other.expiry.deadline < t.expiry.deadline) return false;
    if (can_run(other) && !waits_for_time(other)) return false;
  }
  return io_timer_due >= t.expiry.deadline;
}
}  // namespace

uint64_t expire_early(Thread& t) {
  if (HEDDLE_LIKELY(!t.expiry.may_expire) || !waits_for_time(t)) return 0;
  const uint64_t skipped = is_next_anyway(t) ? 0 : t.expiry.deadline - control.now;
  control.now = t.expiry.deadline;
  t.expiry.early_timeouts++;
  region->result.early_timeouts++;
  return skipped;
}

}  // namespace heddle::rt
