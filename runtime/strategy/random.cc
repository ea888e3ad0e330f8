// Random walk: uniform over the enabled threads at every point. A thread that yields or spins gives way.
#include "runtime/control/strategy.h"

namespace heddle::rt {
namespace {

Random rng;

void start(const HeddleRun& run) { rng.s = run_seed(run); }
void thread_created(uint32_t) {}

uint32_t choose(View& v) {
  if (v.count == 1) {
    v.ask_again = ~0ull;
    return 0;
  }
  if (!v.yielding || !v.current_enabled) return rng.below(v.count);
  uint32_t k = rng.below(v.count - 1);  // anyone but the current one
  return v.enabled[k] < v.current ? k : k + 1;
}

}  // namespace

const Strategy random_strategy{start, thread_created, choose};

}  // namespace heddle::rt
