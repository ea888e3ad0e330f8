// The idea of reads-from fuzzing (Wolff, Shi, Duck, Mathur, Roychoudhury: Greybox Fuzzing for Concurrency Testing,
// ASPLOS 2024): an abstract schedule is a few pairs (write, read that reads from it), of sites; the run is steered
// towards them. The host mutates abstract schedules and keeps those that show pairs never seen before
// (src/hunt/knowledge.h). Deviations: steering is by priorities on top of POS, not by a proof that a pair can still
// hold: a read waits while its write is not the last one, and other writes wait between the two.
#include "runtime/strategy/conflict.h"

namespace heddle::rt {
namespace {

constexpr uint32_t kPlaces = 1024, kMaxPairs = 32, kMostParts = 8;
constexpr uint64_t kUpper = 1ull << 63;
struct Part {           // of a place: an object or thread, or 4 bytes of memory
  HeddlePlace of;       // of the last write that touched it
  uint32_t last_write;  // site
};
Random rng;
uint64_t low_water;  // of those that gave way, as in POS
Part parts[kPlaces];  // direct-mapped: what is forgotten costs precision only
HeddleSegment pairs[kMaxPairs];
bool seen[kMaxPairs];
uint32_t pair_count, wanted_count;  // the others shall not come true: the read comes first

void start(const HeddleRun& run) {
  rng.s = run_seed(run);
  low_water = kUpper;
  const HeddleSegment* told = area<HeddleSegment>(HEDDLE_AREA_SCHEDULE);
  pair_count = 0;
  wanted_count = ~0u;
  for (uint64_t i = 0; i < run.schedule_count && pair_count < kMaxPairs; i++)
    told[i].steps ? (void)(pairs[pair_count++] = told[i]) : (void)(wanted_count = pair_count);
}
void thread_created(uint32_t index) { thread(index).strategy.priority = rng.next() | kUpper; }

// The parts of a place, of a large one the first.
struct Parts {
  uint64_t first, last;
  explicit Parts(const HeddlePlace& p) : first(p.first), last(p.last) {
    if (p.space == HEDDLE_SPACE_MEMORY) first >>= 2, last >>= 2;
    if (last - first >= kMostParts) last = first + kMostParts - 1;
  }
};
Part& part_at(uint64_t at, uint32_t space) {
  return parts[((at ^ (uint64_t)space << 60) * 0x9e3779b97f4a7c15ull) >> 54];
}
uint32_t last_write(const Op& op) {
  const HeddlePlace place = place_of(op);
  const Parts in(place);
  for (uint64_t at = in.first; at <= in.last; at++)
    if (const Part& part = part_at(at, place.space); heddle_meet(part.of, place)) return part.last_write;
  return 0;
}

// This operation now would keep a pair from coming true.
bool unwanted(const Op& op) {
  uint32_t last = 0;
  for (uint32_t i = 0; i < pair_count; i++) {
    if (seen[i]) continue;
    if (i >= wanted_count) {
      if (op.site == pairs[i].thread) return true;
    } else if (op.site == pairs[i].steps) {
      if (last_write(op) != pairs[i].thread) return true;
    } else if (may_write(op.kind)) {
      if (!last) last = last_write(op);
      if (last && last == pairs[i].thread && op.site != last) return true;
    }
  }
  return false;
}

void executed(const Op& op) {
  const HeddlePlace place = place_of(op);
  if (place.space == HEDDLE_SPACE_NONE || !op.site) return;
  for (uint32_t i = 0; i < pair_count; i++)
    if (!seen[i] && op.site == pairs[i].steps && (i >= wanted_count || last_write(op) == pairs[i].thread))
      seen[i] = true;
  if (!may_write(op.kind)) return;
  const Parts in(place);
  for (uint64_t at = in.first; at <= in.last; at++) part_at(at, place.space) = {place, op.site};
}

uint32_t choose(View& v) {
  if (v.current_enabled && v.yielding) thread(v.current).strategy.priority = --low_water;
  const bool steered = !v.yielding || rng.below(4);  // who spins may wait for who is kept waiting
  uint32_t best = v.count;
  uint64_t highest = 0;
  for (uint32_t i = 0; i < v.count; i++) {
    const Thread& t = thread(v.enabled[i]);
    if (v.yielding && v.count > 1 && t.index == v.current) continue;
    uint64_t priority = steered && unwanted(t.op) ? t.strategy.priority >> 2 : t.strategy.priority;
    if (best == v.count || priority > highest) best = i, highest = priority;
  }
  Thread& chosen = thread(v.enabled[best]);
  for (uint32_t i = 0; i < v.count; i++)
    if (i != best && conflict(thread(v.enabled[i]).op, chosen.op))
      thread(v.enabled[i]).strategy.priority = rng.next() | kUpper;
  executed(chosen.op);
  chosen.strategy.priority = rng.next() | kUpper;
  return best;
}

}  // namespace

const Strategy rff_strategy{start, thread_created, choose};

}  // namespace heddle::rt
