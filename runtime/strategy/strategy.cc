#include "runtime/control/strategy.h"

#include "abi/guide.h"

namespace heddle::rt {

const Strategy* strategy;

const Strategy& strategy_of(const HeddleRun& run) {
  switch (run.strategy) {
    case HEDDLE_STRATEGY_REPLAY: return replay_strategy;
    case HEDDLE_STRATEGY_PCT: return pct_strategy;
    case HEDDLE_STRATEGY_POS: return pos_strategy;
    case HEDDLE_STRATEGY_SURW: return surw_strategy;
    case HEDDLE_STRATEGY_RACEDIRECTED: return racedirected_strategy;
    case HEDDLE_STRATEGY_PREFIX: return prefix_strategy;
    case HEDDLE_STRATEGY_RFF: return rff_strategy;
    case HEDDLE_STRATEGY_GUIDED: return guided_strategy;
  }
  return random_strategy;
}

uint64_t run_seed(const HeddleRun& run) {
  Random r{run.seed * 0x9e3779b97f4a7c15ull + 0x1234567};
  uint64_t a = r.next();
  Random q{a ^ (run.run_index * 0xd1342543de82ef95ull)};
  return q.next();
}

}  // namespace heddle::rt
