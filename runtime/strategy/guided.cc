// Follows a guide loosely: thread execution intervals (TEIs) with the relaxed validity of Tinertia (Jalbert and Sen,
// FSE 2010, section 4.2.1). A thread that leaves its expected path goes on until it is back on it; one that cannot run,
// or spins off its path, loses the rest of its turn; behind the last turn execution goes on without preemptions, and
// fair. Deviations: threads are known by the path of their creation, not by a number; turns can be joined, and of
// joined turns each thread runs as long as it can before the next one does, until none of them can go on (the host
// merges many TEIs by one execution so); a thread that meets an action from behind its turn stops before it; who is
// woken is a choice, not at random.
#include "abi/guide.h"
#include "runtime/arena.h"
#include "runtime/control/control.h"
#include "runtime/control/discipline.h"
#include "runtime/control/expiry.h"
#include "runtime/control/strategy.h"

namespace heddle::rt {
namespace {

constexpr uint32_t kPeek = 16;          // actions behind the end of a turn that show that it was skipped
constexpr uint32_t kMaxStray = 5000;    // actions off the path in a row
// Where a thread has left out more different actions of its path, beside one for each that it did instead, is far away.
// A wait is two; at a barrier three lie between what whoever comes last does there and at the next.
constexpr uint32_t kNear = 2;
constexpr uint32_t kMostEarly = 100;  // steps off its path in which a thread's waits end early at once

using Guided = StrategyState::Guided;
using Path = HeddleGuidePath;

uint32_t* index_of;  // [path_count]: of a thread of the guide, from 1; 0: not there yet
const Path* paths;
const uint32_t* actions;
uint32_t path_count;
bool anywhere, early_waits;
const HeddleGuideTurn* turns;
uint64_t turn_count, first_turn, turn;  // the first of the joined turns, and the one of them that is on
uint64_t preemptions;                   // before the last question
uint64_t capacity;                      // of the log of steps

void start(const HeddleRun&) {
  const auto* guide = area<HeddleGuide>(HEDDLE_AREA_GUIDE);
  path_count = guide->paths < HEDDLE_MAX_THREADS ? guide->paths : HEDDLE_MAX_THREADS;
  index_of = arena_new<uint32_t>(path_count);
  turn_count = guide->turns;
  anywhere = guide->anywhere;
  early_waits = guide->early;
  paths = heddle_guide_paths(guide);
  turns = heddle_guide_turns(guide);
  actions = heddle_guide_actions(guide);
  capacity = area_capacity<HeddleGuidedStep>(HEDDLE_AREA_GUIDED);
}

void thread_created(uint32_t index) {
  const HeddleThreadInfo& info = *thread(index).info;
  const uint32_t parent = index ? thread(info.parent).strategy.guided.number : 1;
  if (!parent) return;
  for (uint32_t i = 0; i < path_count; i++)
    if (index ? i && paths[i].parent == parent - 1 && paths[i].ordinal == info.ordinal : i == 0) {
      thread(index).strategy.guided.number = i + 1;
      index_of[i] = index + 1;
      return;
    }
}

uint32_t slot_of(const View& v, uint32_t index) {
  for (uint32_t i = 0; i < v.count && v.enabled[i] <= index; i++)
    if (v.enabled[i] == index) return i;
  return ~0u;
}

uint32_t expected(const Path& path, uint32_t position) { return actions[path.first + position]; }

// Would more than `most` different actions be left out if the next one on the path were that at `to`? A loop that ends
// sooner leaves out its body once, however often it was expected.
bool leaves_out_more(const Path& path, uint32_t from, uint32_t to, uint32_t most) {
  uint32_t different = 0;
  for (uint32_t i = from; i < to; i++) {
    uint32_t before = from;
    while (expected(path, before) != expected(path, i)) before++;
    if (before == i && ++different > most) return true;
  }
  return false;
}

// Where on its path the pending action of `g` lies; `path.actions` when it does not lie on what is left of this turn,
// or too far away.
uint32_t find_pending(const Path& path, const Guided& g, const Op& op, uint32_t end, bool& far) {
  const uint32_t hash = heddle_guide_action(op.kind, op.site, false),
                 early = heddle_guide_action(op.kind, op.site, true);
  const uint32_t limit = end + kPeek < path.actions ? end + kPeek : path.actions;
  for (uint32_t i = g.position; i < limit; i++) {
    if (expected(path, i) != hash && expected(path, i) != early) continue;
    far = leaves_out_more(path, g.position, i, kNear + g.strayed);
    return far && !anywhere ? path.actions : i;
  }
  return path.actions;
}

// Can this turn go on? Then the slot of its thread among the enabled.
uint32_t slot_of_turn(const View& v, const HeddleGuideTurn& t) {
  const uint32_t number = t.path;
  if (number >= path_count || !index_of[number]) return ~0u;
  const uint32_t index = index_of[number] - 1, slot = slot_of(v, index);
  Guided& g = thread(index).strategy.guided;
  if (slot == ~0u || g.position >= t.end) return ~0u;
  const Path& path = paths[number];
  if (t.end > path.actions) {  // as long as it can
    const bool goes_on = early_waits && g.strayed < kMostEarly && waits_for_time(thread(index));
    return v.yielding && v.current == index && !goes_on ? ~0u : slot;
  }
  bool far = false;
  const uint32_t found = find_pending(path, g, thread(index).op, t.end, far);
  if (found < t.end) return slot;
  if (found < path.actions) {  // this turn was skipped
    g.position = found;
    return ~0u;
  }
  const bool gives_up = g.strayed >= kMaxStray || (v.yielding && v.current == index);
  return gives_up ? ~0u : slot;
}

// The thread takes its pending action. Returns whether it lies far away on its path.
bool advance(uint32_t index, uint32_t end) {
  Guided& g = thread(index).strategy.guided;
  if (!g.number) return false;
  const Path& path = paths[g.number - 1];
  bool far = false;
  const uint32_t found = find_pending(path, g, thread(index).op, end, far);
  if (found == path.actions) {
    g.strayed++;
  } else {
    g.position = found + 1;
    g.strayed = 0;
  }
  return far;
}

uint64_t end_of_joined(uint64_t first) {
  uint64_t end = first + 1;
  while (end < turn_count && turns[end].joined) end++;
  return end;
}

uint32_t slot_by_guide(const View& v) {
  while (first_turn < turn_count) {
    const uint64_t end = end_of_joined(first_turn);
    if (uint32_t slot = slot_of_turn(v, turns[turn]); slot != ~0u) return slot;
    for (turn = first_turn; turn < end; turn++)
      if (uint32_t slot = slot_of_turn(v, turns[turn]); slot != ~0u) return slot;
    first_turn = turn = end;
  }
  return ~0u;
}

// Stays while it can, else the next one in the order of creation.
uint32_t slot_freely(const View& v) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < v.count; i++) {
    if (v.enabled[i] == v.current && !v.yielding) return i;
    if (v.current != ~0u && v.enabled[i] <= v.current) next = i + 1;
  }
  return next < v.count ? next : 0;
}

// What was done, for the host to make the next guide from. Whether a step came by a preemption is known a step later.
void log_step(uint64_t step, Thread& t, bool far) {
  HeddleGuidedStep* log = area<HeddleGuidedStep>(HEDDLE_AREA_GUIDED);
  if (step && step <= capacity && region->result.preemptions != preemptions)
    log[step - 1].flags |= HEDDLE_GUIDED_BY_PREEMPTION;
  preemptions = region->result.preemptions;
  if (step < capacity)
    log[step] = {(uint16_t)t.index, (uint8_t)t.op.kind,
                 (uint8_t)((far ? HEDDLE_GUIDED_FAR : 0) | (waits_for_time(t) ? HEDDLE_GUIDED_EARLY : 0)), t.op.site};
  else
    region->result.overflow |= 1u << HEDDLE_AREA_GUIDED;
}

uint32_t choose(View& v) {
  uint32_t slot = slot_by_guide(v);
  const bool by_guide = slot != ~0u;
  if (!by_guide) slot = slot_freely(v);
  const uint32_t index = v.enabled[slot];
  const bool far = advance(index, by_guide ? turns[turn].end : thread(index).strategy.guided.position + kPeek);
  log_step(v.step, thread(index), far);
  return slot;
}

// Where its path says that this wait ended early. In a lifted recording real time passed: whether others could have run
// meanwhile is not known, so every wait that ended may end early.
bool may_expire(const Thread& t) {
  const Guided& g = t.strategy.guided;
  if (early_waits) return true;
  if (!g.number) return false;
  const Path& path = paths[g.number - 1];
  const uint32_t due = heddle_guide_action(t.op.kind, t.op.site, false),
                 early = heddle_guide_action(t.op.kind, t.op.site, true);
  for (uint32_t i = g.position; i < path.actions && i < g.position + kPeek; i++) {
    if (expected(path, i) == early) return true;
    if (expected(path, i) == due) return discipline.waits_were_real();
  }
  return false;
}

}  // namespace

const Strategy guided_strategy{start, thread_created, choose, may_expire};

}  // namespace heddle::rt
