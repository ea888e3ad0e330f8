// The strategy `auto`: a portfolio. Each run is one of a strategy; how many runs each gets is decided anew at the end
// of every epoch. A part of the runs is each one's for good (what only it can find is found, later), the rest goes to
// those whose runs showed new things: reads-from pairs that were never seen, sets of them that were never seen. After
// the bandits of Auer et al. (Machine Learning 2002); deviations: the reward is news, not failures (there is one
// failure at most), it is forgotten by half with each epoch, and the draw is spread evenly over the runs instead of at
// random. What the program looks like (races, waits on conditions) decides the first runs, and whose part is how large.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "src/hunt/coverage.h"
#include "src/hunt/knowledge.h"
#include "src/hunt/strategy.h"

namespace heddle {

inline constexpr std::array kArms = {Strategy::kSurw, Strategy::kRaceDirected, Strategy::kPos, Strategy::kPct,
                                     Strategy::kRff,  Strategy::kRandom,       Strategy::kIcb};

/// How many of 1000 runs each of kArms gets.
using Shares = std::array<std::uint32_t, kArms.size()>;

/// The runs of one epoch: some in this order, the others by shares.
struct Mix {
  std::vector<Strategy> opening{Strategy::kRandom};
  Shares shares{};
};

/// Which strategy run `index` of an epoch that begins at `first` uses: a function of its arguments, and in any few runs
/// in a row behind the opening each strategy has about its share.
Strategy arm_of(const Mix& mix, std::uint64_t seed, std::uint64_t first, std::uint64_t index);

class Portfolio {
 public:
  /// A run of this strategy was observed; in the order of run indices.
  void learn(Strategy strategy, const News& news);
  /// Of the next epoch, which begins with run `first`; `longest`: steps of a run so far. Call once at the end of each.
  Mix next(const Targets& targets, std::uint64_t first, std::uint64_t longest);

 private:
  struct Arm {
    double runs = 0, reward = 0;
  };
  std::array<Arm, kArms.size()> arms_{};
};

}  // namespace heddle
