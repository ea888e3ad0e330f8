// PCT (Burckhardt et al., ASPLOS 2010): random distinct priorities, the highest enabled thread runs; at d-1 random steps
// the running thread drops below all others. Deviations: the length k is an estimate from earlier runs of the hunt; a thread
// that yields or spins drops too (the paper assumes terminating threads), so that spin loops cannot starve the rest.
#include "runtime/strategy/strategy.h"

namespace heddle::rt {
namespace {

constexpr uint32_t kMaxDepth = 64;
Random rng;
uint64_t change_at[kMaxDepth];
uint32_t changes;
uint64_t low_water;  // priorities given out below every initial one

void start(const HeddleRun& run) {
  rng.s = run_seed(run);
  uint32_t depth = run.pct_depth < 1 ? 1 : run.pct_depth > kMaxDepth ? kMaxDepth : run.pct_depth;
  uint32_t length = run.pct_steps < 8 ? 8 : run.pct_steps;
  changes = depth - 1;
  for (uint32_t i = 0; i < changes; i++) change_at[i] = rng.below(length);
  low_water = 1ull << 32;
}

void thread_created(uint32_t index) {
  // Initial priorities lie above 2^32, dropped ones below; equal ones are settled by the index.
  thread(index).priority = (1ull << 32) + (rng.next() >> 31 << 12) + index;
}

void drop(uint32_t index) { thread(index).priority = --low_water; }

uint32_t highest(const View& v) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < v.count; i++)
    if (thread(v.enabled[i]).priority > thread(v.enabled[best]).priority) best = i;
  return best;
}

uint32_t choose(View& v) {
  if (v.current_enabled && v.yielding) drop(v.current);
  v.ask_again = ~0ull;
  for (uint32_t i = 0; i < changes; i++) {
    if (change_at[i] == v.step) drop(v.enabled[highest(v)]);  // who would take this step
    if (change_at[i] > v.step && change_at[i] < v.ask_again) v.ask_again = change_at[i];
  }
  return highest(v);
}

}  // namespace

const Strategy pct_strategy{start, thread_created, choose};

}  // namespace heddle::rt
