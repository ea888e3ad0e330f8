#include "runtime/strategy/strategy.h"

namespace heddle::rt {

const Strategy* strategy;

uint64_t run_seed(const HeddleRun& run) {
  Random r{run.seed * 0x9e3779b97f4a7c15ull + 0x1234567};
  uint64_t a = r.next();
  Random q{a ^ (run.run_index * 0xd1342543de82ef95ull)};
  return q.next();
}

}  // namespace heddle::rt
