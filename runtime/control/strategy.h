// A strategy is an oracle: (enabled threads, history) -> choice. Pure but for its own state; deterministic in (seed,
// run).
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

struct View {
  const uint32_t* enabled;  // thread indices, ascending
  uint32_t count;           // >= 1
  uint32_t current;         // thread that reached the point; may not be enabled
  bool current_enabled;
  bool yielding;            // current should give way when count > 1
  uint64_t step;
  /// Out: the next step at which to ask again, as long as the same threads are enabled and the chosen one neither waits
  /// nor spins. Until then it stays, without a call.
  uint64_t ask_again;
};

struct Strategy {
  void (*start)(const HeddleRun& run);
  void (*thread_created)(uint32_t index);
  /// An index into view.enabled; or kDiverged (replay only).
  uint32_t (*choose)(View& view);
  /// Loose time: may the thread, which begins to wait with a deadline, be chosen before that? Null: a coin decides
  /// (expiry.cc).
  bool (*may_expire)(const Thread& t) = nullptr;
};
inline constexpr uint32_t kDiverged = ~0u;

extern const Strategy random_strategy, pct_strategy, replay_strategy, pos_strategy, surw_strategy,
    racedirected_strategy, prefix_strategy, rff_strategy, guided_strategy;
const Strategy& strategy_of(const HeddleRun& run);
extern const Strategy* strategy;
/// Replay: the thread that the schedule names next; ~0u at its end.
uint32_t replay_expected_thread();
/// The same before the strategy is asked: also when the step before was the last of its segment.
uint32_t replay_next_thread();
/// Steps of the schedule are left: the recorded run got further than this.
bool replay_has_more();
bool replay_has_more_of(uint32_t thread);

/// SplitMix64, the only source of randomness of strategies.
struct Random {
  uint64_t s;
  uint64_t next() {
    s += 0x9e3779b97f4a7c15ull;
    uint64_t z = s;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t n) { return (uint32_t)(((next() >> 32) * n) >> 32); }
};
/// Mixes seed and run index.
uint64_t run_seed(const HeddleRun& run);

}  // namespace heddle::rt
