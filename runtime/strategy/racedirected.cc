// RaceFuzzer (Sen: Race Directed Random Testing, PLDI 2008), also over contended locks as Thrille used it: a random
// walk in which a thread that comes to one of two chosen sites is postponed until another one comes to the same place
// in memory, or the same lock, there; then a coin decides who goes first. Deviations: the pair comes from what earlier
// runs of the hunt saw; the schedule of the run that showed it may be followed first, up to a point before the race; a
// spinning thread may wait for a postponed one, so whenever one gives way a postponed one may go on; and when all are
// postponed, one goes on.
#include "runtime/strategy/conflict.h"

namespace heddle::rt {
namespace {

Random rng;
uint32_t sites[2];
uint32_t postponed;  // threads
bool new_point[2];   // the run whose schedule is followed had none there
const HeddleSegment* segments;
uint64_t segment_count, position, used;

void start(const HeddleRun& run) {
  rng.s = run_seed(run);
  const HeddleSegment* pair = area<HeddleSegment>(HEDDLE_AREA_SCHEDULE);
  sites[0] = run.schedule_count ? pair->thread : 0;
  sites[1] = run.schedule_count ? pair->steps : 0;
  postponed = 0;
  for (int i = 0; i < 2; i++) new_point[i] = run.schedule_count > 1 && (pair[1].thread >> i & 1);
  segments = pair + 2;
  segment_count = run.schedule_count > 2 ? run.schedule_count - 2 : 0;
  position = used = 0;
}
void thread_created(uint32_t) {}

bool at_target(const Thread& t) { return t.op.site && (t.op.site == sites[0] || t.op.site == sites[1]); }

void postpone(Thread& t, bool on) {
  if (t.strategy.postponed != on) postponed += on ? 1 : -1;
  t.strategy.postponed = on;
}

// A random one of the threads that are (not) postponed; v.count: there is none.
uint32_t pick(const View& v, bool of_postponed) {
  uint32_t chosen = v.count, n = 0;
  for (uint32_t i = 0; i < v.count; i++) {
    if (thread(v.enabled[i]).strategy.postponed != of_postponed) continue;
    if (v.yielding && v.count > 1 && v.enabled[i] == v.current) continue;
    if (rng.below(++n) == 0) chosen = i;
  }
  return chosen;
}

uint32_t met(const View& v, const Op& op) {
  for (uint32_t i = 0; i < v.count; i++)
    if (thread(v.enabled[i]).strategy.postponed && conflict(thread(v.enabled[i]).op, op)) return i;
  return v.count;
}

uint32_t go(const View& v, uint32_t i) {
  postpone(thread(v.enabled[i]), false);
  return i;
}

uint32_t index_of(const View& v, uint32_t thread) {
  uint32_t i = 0;
  while (i < v.count && v.enabled[i] != thread) i++;
  return i;
}

// The schedule of an earlier run, as far as it goes; v.count: it is at its end. Points that this run did not have are
// passed.
uint32_t follow(const View& v) {
  const uint32_t site = v.current_enabled ? thread(v.current).op.site : 0;  // v.current may be nobody
  if (site && ((new_point[0] && site == sites[0]) || (new_point[1] && site == sites[1]))) return index_of(v, v.current);
  while (position < segment_count && used >= segments[position].steps) position++, used = 0;
  if (position == segment_count) return v.count;
  used++;
  const uint32_t i = index_of(v, segments[position].thread);
  if (i == v.count) position = segment_count;
  return i;
}

uint32_t choose(View& v) {
  if (position < segment_count)
    if (uint32_t i = follow(v); i < v.count) return i;
  for (;;) {
    if (postponed && v.yielding && rng.below(2) == 0)
      if (uint32_t i = pick(v, true); i < v.count) return go(v, i);
    uint32_t i = pick(v, false);
    if (i == v.count) i = pick(v, true);
    if (i == v.count) return 0;
    Thread& t = thread(v.enabled[i]);
    if (t.strategy.postponed || !at_target(t)) return go(v, i);
    uint32_t other = met(v, t.op);
    if (other < v.count) {  // the race: both orders are as likely, and the second one is free to go when it likes
      postpone(thread(v.enabled[other]), false);
      return go(v, rng.below(2) ? i : other);
    }
    postpone(t, true);
  }
}

}  // namespace

const Strategy racedirected_strategy{start, thread_created, choose};

}  // namespace heddle::rt
