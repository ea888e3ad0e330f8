// PCT (Burckhardt et al., ASPLOS 2010): random distinct priorities, the highest enabled thread runs; at d-1 random
// steps, in no order, the running thread drops below the initial ones: at the i-th change point to priority i, so that
// it may lie above one that dropped earlier. Deviations: the length k is an estimate from earlier runs of the hunt; in
// every second run who drops falls below all that did before, which finds more bugs of our corpus (docs/hunting.md); a
// thread that yields or spins drops below all of these (the paper assumes terminating threads), so that spin loops
// cannot starve the rest.
#include "runtime/control/strategy.h"

namespace heddle::rt {
namespace {

constexpr uint32_t kMaxDepth = 64;
Random rng;
uint64_t change_at[kMaxDepth];
uint32_t changes;
constexpr uint64_t kInitial = 1ull << 32, kChanged = 1ull << 31;  // those of change points lie from here on upwards
uint64_t low_water;                                               // from there downwards: of those that yielded
bool last_is_lowest;                                              // and of all that dropped

void start(const HeddleRun& run) {
  rng.s = run_seed(run);
  uint32_t depth = run.pct_depth < 1 ? 1 : run.pct_depth > kMaxDepth ? kMaxDepth : run.pct_depth;
  uint32_t length = run.pct_steps < 8 ? 8 : run.pct_steps;
  changes = depth - 1;
  for (uint32_t i = 0; i < changes; i++) change_at[i] = rng.below(length);
  low_water = kChanged;
  last_is_lowest = run.run_index & 1;
}

void thread_created(uint32_t index) {
  thread(index).strategy.priority = kInitial + (rng.next() >> 31 << 12) + index;
}

uint32_t highest(const View& v) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < v.count; i++)
    if (thread(v.enabled[i]).strategy.priority > thread(v.enabled[best]).strategy.priority) best = i;
  return best;
}

uint32_t choose(View& v) {
  if (v.current_enabled && v.yielding) thread(v.current).strategy.priority = --low_water;
  v.ask_again = ~0ull;
  for (uint32_t i = 0; i < changes; i++) {
    if (change_at[i] == v.step)
      thread(v.enabled[highest(v)]).strategy.priority =
          last_is_lowest ? --low_water : kChanged + i;  // who would take this step
    if (change_at[i] > v.step && change_at[i] < v.ask_again) v.ask_again = change_at[i];
  }
  return highest(v);
}

}  // namespace

const Strategy pct_strategy{start, thread_created, choose};

}  // namespace heddle::rt
