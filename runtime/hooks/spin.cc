// Waiting or computing? A thread that used up its patience, so many counted hooks without a point, may do either. A
// thread that waits for others must give way, or they never do what it waits for. A thread that computes must not: then
// no other thread could be held back across a computation, and bugs that need that are never found.
//
// So the next counted hooks of such a thread are watched, and the loops it goes round decide (abi/site.h,
// pass/spins.h):
//   an idle or waiting loop   -> it waits: forced point, which gives way
//   an advancing loop         -> it computes: it goes on
//   neither is known          -> it waits if it only read, and only a few volatile places; else it computes
// Plain accesses decide nothing here: light clones have no hooks for them, and with light clones or without the
// schedule is the same. Where nothing is proved the answer may be wrong, so such a thread gives way after kUnproved
// hooks (fewer where it touches only a few places), then after twice as many ...
//
// Going round an idle loop is a proof: the thread will do so again until another thread writes. After a proof every
// hook is watched, so the thread is known to do nothing between one proof and the next. When all threads that can run
// have proved to spin, one after the other without a step of another kind between, and no deadline and nobody outside
// is left, no schedule can end it: livelock. In a light clone writes are not seen, so a run with light clones that ends
// so is executed again without (src/hunt).
//
//   X: computes ... proof (row begins) | Y: watched, proof | X: watched, proof | all proved since the row began:
//   livelock
//
// Points that change nothing are no proof either: a thread may look at an atomic flag in each round of a computation.
// So before many such points are called a livelock, threads are watched in the same way (kLastLook).
#include "abi/hooks.h"
#include "runtime/control/control.h"
#include "runtime/control/scheduler.h"
#include "runtime/control/fail.h"
#include "runtime/hooks/access.h"
#include "runtime/control/io.h"
#include "runtime/control/strategy.h"

namespace heddle::rt {
namespace {

constexpr uint32_t kWindow = 2048;           // hooks that are watched
constexpr uint32_t kFewPlaces = 32;          // that a loop reads while it waits
constexpr uint64_t kUnproved = 1ull << 24;   // hooks before a thread gives way that may compute,
constexpr uint64_t kUnseen = 1ull << 22;     // of which nothing is seen but that it goes round,
constexpr uint64_t kRoundAFew = 1ull << 20;  // that goes round a few places,
constexpr uint64_t kAdvancing = 1ull << 32;  // and that does compute, as far as can be seen
constexpr uint32_t kEndlessRounds = 20;      // points passed alone in a loop without an exit

struct Window {
  uint32_t left;      // hooks; 0: not watched
  bool only_reads, waits, advances;
  uint32_t places;    // of `read`, counted up to one too many
  uint64_t read[kFewPlaces];
};

struct Spin {
  uint64_t proved_at;   // steps + 1 at its last proof
  uint64_t resumed_at;  // steps when it was watched last
  uint64_t own_steps;   // ... and its own among them
  uint64_t hooks;       // since its last point of another kind
  uint64_t given_way_at;  // `hooks`, when it last gave way without a proof
  uint32_t endless;     // points in a loop without an exit, with no other point between
  bool proving;         // the point that is being passed is a proof
  bool only_read;       // since it was resumed
};

Spin spins[HEDDLE_MAX_THREADS];
Window window;  // of the thread that runs
uint64_t row_began, row_end;  // steps: proofs only, since then and until then

bool goes_round(const HeddleSite* site, uint32_t outcome, uint32_t first_flag) {
  return site && site->kind == HEDDLE_EV_BRANCH && outcome < 2 && (site->flags & (first_flag << outcome));
}
bool is_branch(const HeddleSite* site, uint32_t flag) {
  return site && site->kind == HEDDLE_EV_BRANCH && (site->flags & flag);
}

bool only_reads(const HeddleSite* site) {
  return site && (site->kind == HEDDLE_EV_BRANCH || site->kind == HEDDLE_EV_READ || site->kind == HEDDLE_EV_READ_RANGE);
}

bool nothing_else_happens() {
  if (region->run.feed && replay_has_more())
    return false;  // the recording went on: a timer's signal came, which is no timer here
  if (control.out || control.next_deadline != ~0ull || io_timer_cpu_step != ~0ull || io_others_may_act) return false;
  for (uint32_t i = 0; i < control.enabled_count; i++)
    if (!io_no_signal_is_due(control.threads[control.enabled[i]])) return false;  // its handler may end the loop
  return true;
}

bool all_spin() {
  for (uint32_t i = 0; i < control.enabled_count; i++)
    if (spins[control.enabled[i]].proved_at <= row_began) return false;
  return true;
}

void prove(Spin& s, bool nothing_between) {
  if (!nothing_between || control.steps != row_end) row_began = control.steps;
  s.proved_at = control.steps + 1;
  row_end = control.steps + 1;  // the next step is of whoever is chosen now
}

void open_window() {
  window = Window{};
  window.left = kWindow;
  window.only_reads = true;
}

void watch(const HeddleSite* site, uint32_t outcome, const volatile void* address) {
  window.left--;
  window.only_reads &= only_reads(site);
  window.waits |= goes_round(site, outcome, HEDDLE_SITE_WAITS_FIRST);
  window.advances |= is_branch(site, HEDDLE_SITE_ADVANCES);
  if (!address || window.places > kFewPlaces) return;
  for (uint32_t i = 0; i < window.places; i++)
    if (window.read[i] == (uint64_t)address) return;
  if (window.places < kFewPlaces) window.read[window.places] = (uint64_t)address;
  window.places++;
}

bool seems_to_wait(const Spin& s) {
  const bool few = window.places > 0 && window.places <= kFewPlaces;
  if (few && window.only_reads && !window.advances) return true;
  const uint64_t limit = window.advances ? kAdvancing : few ? kRoundAFew : window.places == 0 ? kUnseen : kUnproved;
  return s.hooks >= limit && s.hooks >= 2 * s.given_way_at;
}

void forget_other_points(Thread& t, Spin& s) {
  if (t.info->steps == s.own_steps) return;
  s.own_steps = t.info->steps;
  s.endless = 0;
  s.hooks = s.given_way_at = 0;
}

}  // namespace

bool spin_saw(Thread& t, const HeddleSite* site) {
  Spin& s = spins[t.index];
  const bool last_look = control.quiet_steps > kQuietIsLivelock - kLastLook;
  if (HEDDLE_UNLIKELY(last_look) && is_branch(site, HEDDLE_SITE_ADVANCES))
    control.quiet_steps = control.looks = 0;  // it computes
  if (!window.left || s.resumed_at != control.steps) return last_look;
  s.only_read &= only_reads(site);
  return true;
}

bool spin_continues(Thread& t, const HeddleSite* site, uint32_t outcome, const volatile void* address) {
  Spin& s = spins[t.index];
  const bool watched = window.left && s.resumed_at == control.steps;
  forget_other_points(t, s);
  if (!watched) {
    s.only_read = false;
    s.resumed_at = control.steps;
    s.hooks += kHookBudget;
    open_window();
  }
  watch(site, outcome, address);
  if (HEDDLE_UNLIKELY(window.advances && control.quiet_steps > kQuietIsLivelock - kLastLook))
    control.quiet_steps = control.looks = 0;  // it computes
  s.proving = goes_round(site, outcome, HEDDLE_SITE_IDLE_FIRST);
  if (s.proving) prove(s, s.only_read);
  s.only_read &= only_reads(site);
  if (s.proving || window.waits) {
    s.endless += is_branch(site, HEDDLE_SITE_ENDLESS);
    return false;
  }
  watch_hooks(t);
  if (window.left) return true;
  if (seems_to_wait(s)) {
    s.given_way_at = s.hooks;
    return false;
  }
  t.progress.patience = kHookBudget - (int32_t)(control.steps % 61);  // not at the same place of a loop each time
  return true;
}

void spin_resumed(Thread& t) {
  Spin& s = spins[t.index];
  open_window();
  s.resumed_at = control.steps;
  s.own_steps = t.info->steps;
  s.only_read = true;
  watch_hooks(t);
  if (s.proving) {
    if (control.steps == row_end && all_spin() && nothing_else_happens()) fail_livelock(t);
    return;
  }
  if (s.endless > kEndlessRounds && control.enabled_count == 1 && nothing_else_happens()) fail_livelock(t);
}

}  // namespace heddle::rt
