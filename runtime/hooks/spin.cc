// Endless loop or long computation? A thread that used up its hook budget without a point may be either.
//
// The pass marks branches that go round a loop which only reads (abi/site.h): a thread that takes one will take it again, until
// another thread writes. That is a proof that it spins. Once it has given one, the thread is watched: each hook comes here, so it
// is known to do nothing between one proof and the next. When all threads that can run have proved to spin, one after the other
// without a step of another kind between, and no deadline and nobody outside is left, no schedule can end it: livelock.
//
//   X: computes ... proof (row begins) | Y: watched, proof | X: watched, proof | all proved since the row began: livelock
//
// Without a proof the thread computes, and only the bound on quiet steps (control.h) is left, stretched: a computation of minutes
// is legal.
#include "abi/hooks.h"
#include "runtime/control/control.h"
#include "runtime/control/scheduler.h"
#include "runtime/fail/fail.h"
#include "runtime/hooks/access.h"
#include "runtime/io/io.h"

namespace heddle::rt {
namespace {

constexpr uint32_t kWatched = 256;       // hooks in which a watched thread must come round
constexpr uint32_t kEndlessRounds = 20;  // budgets spent alone in a loop without an exit
constexpr uint32_t kComputes = 8;        // so many budgets of a computing thread count as one quiet step

struct Spin {
  uint64_t proved_at;   // steps + 1 at its last proof
  uint64_t resumed_at;  // steps when it was watched last
  uint64_t own_steps;   // ... and its own among them
  uint32_t watched;     // hooks left; 0: not watched
  uint32_t endless;     // budgets that ended in a loop without an exit, with no other point between
  bool proving;         // the point that is being passed is a proof
};
Spin spins[HEDDLE_MAX_THREADS];
uint64_t row_began, row_end;  // steps: proofs only, since then and until then
uint64_t quiet_before, computed;

bool is_proof(const HeddleSite* site, uint32_t outcome) {
  return site->kind == HEDDLE_EV_BRANCH && outcome < 2 && (site->flags & (HEDDLE_SITE_IDLE_FIRST << outcome));
}

bool only_reads(const HeddleSite* site) {
  return site->kind == HEDDLE_EV_BRANCH || site->kind == HEDDLE_EV_READ || site->kind == HEDDLE_EV_READ_RANGE;
}

bool nothing_else_happens() { return !control.out && control.next_deadline == ~0ull && !io_others_may_act; }

bool all_spin() {
  for (uint32_t i = 0; i < control.enabled_count; i++)
    if (spins[control.enabled[i]].proved_at <= row_began) return false;
  return true;
}

void prove(Spin& s, bool was_watched) {
  if (!was_watched || control.steps != row_end) row_began = control.steps;
  s.proved_at = control.steps + 1;
  row_end = control.steps + 1;  // the next step is of whoever is chosen now
}

}  // namespace

bool spin_continues(Thread& t, const HeddleSite* site, uint32_t outcome) {
  Spin& s = spins[t.index];
  bool is_watched = s.watched && s.resumed_at == control.steps;
  s.proving = is_proof(site, outcome);
  if (s.proving) {
    prove(s, is_watched);
  } else if (is_watched) {
    s.watched = only_reads(site) ? s.watched - 1 : 0;
    t.budget = s.watched ? 1 : kHookBudget - (int32_t)(control.steps % 61);  // not at the same place of a loop each time
    return true;
  }
  if (t.info->steps != s.own_steps) s.endless = 0;
  if (site->kind == HEDDLE_EV_BRANCH && (site->flags & HEDDLE_SITE_ENDLESS)) s.endless++;
  return false;
}

void spin_resumed(Thread& t) {
  Spin& s = spins[t.index];
  s.watched = kWatched;
  s.resumed_at = control.steps;
  s.own_steps = t.info->steps;
  t.budget = 1;
  if (s.proving) {
    if (control.steps == row_end && all_spin() && nothing_else_happens()) fail_livelock(t);
    return;
  }
  if (s.endless > kEndlessRounds && control.enabled_count == 1 && nothing_else_happens()) fail_livelock(t);
  // It computes: this step, and those of threads that spin beside it, are not quiet.
  if (control.next_deadline != ~0ull) return;
  if (++computed % kComputes && control.quiet_steps > quiet_before) control.quiet_steps = quiet_before;
  quiet_before = control.quiet_steps;
}

}  // namespace heddle::rt
