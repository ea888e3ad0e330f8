// POS (Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling, CAV 2018): every pending operation has a random
// priority, the highest one is executed, and operations that race with it get new ones. So what is sampled are partial
// orders rather than interleavings. Deviations: a thread that must give way falls below all others, also those that
// gave way before, until it has executed an operation (the paper has no spin loops); operations that cannot be executed
// keep their priority, also when what blocks them races with them.
#include "runtime/strategy/conflict.h"

namespace heddle::rt {
namespace {

constexpr uint64_t kUpper = 1ull << 63;
Random rng;
uint64_t low_water;  // of those that gave way: the last one is the lowest, so each gets its turn

void start(const HeddleRun& run) {
  rng.s = run_seed(run);
  low_water = kUpper;
}
void thread_created(uint32_t index) { thread(index).strategy.priority = rng.next() | kUpper; }

uint32_t choose(View& v) {
  if (v.current_enabled && v.yielding) thread(v.current).strategy.priority = --low_water;
  uint32_t best = v.count;
  for (uint32_t i = 0; i < v.count; i++) {
    if (v.yielding && v.count > 1 && v.enabled[i] == v.current) continue;
    if (best == v.count || thread(v.enabled[i]).strategy.priority > thread(v.enabled[best]).strategy.priority) best = i;
  }
  Thread& chosen = thread(v.enabled[best]);
  for (uint32_t i = 0; i < v.count; i++)
    if (i != best && conflict(thread(v.enabled[i]).op, chosen.op))
      thread(v.enabled[i]).strategy.priority = rng.next() | kUpper;
  chosen.strategy.priority = rng.next() | kUpper;  // of its next operation
  return best;
}

}  // namespace

const Strategy pos_strategy{start, thread_created, choose};

}  // namespace heddle::rt
