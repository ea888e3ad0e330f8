// The strategy `auto`: a portfolio. Each run is one of a randomised strategy; how many runs each gets is decided anew
// at the end of every epoch. A part of the runs is each one's for good (what only it can find is found, later), the
// rest goes to those whose runs showed new things: reads-from pairs that were never seen, classes of schedules that
// were never seen. After the bandits of Auer et al. (Machine Learning 2002); deviations: the reward is news, not
// failures (there is one failure at most), it is forgotten by half with each epoch, and the draw is spread evenly over
// the runs instead of at random.
#pragma once
#include <array>
#include <cstdint>

#include "src/hunt/coverage.h"
#include "src/hunt/knowledge.h"
#include "src/hunt/strategy.h"

namespace heddle {

inline constexpr std::array kArms = {Strategy::kSurw, Strategy::kRaceDirected, Strategy::kPos,
                                     Strategy::kPct,  Strategy::kRff,          Strategy::kRandom};

/// How many of 1000 runs each of kArms gets.
using Shares = std::array<std::uint32_t, kArms.size()>;

/// Which strategy run `index` uses: a function of its arguments, and in any few runs in a row each strategy has about
/// its share.
Strategy arm_of(const Shares& shares, std::uint64_t seed, std::uint64_t index);

/// Before anything is known.
Shares first_shares();

class Portfolio {
 public:
  /// A run of this strategy was observed; in the order of run indices.
  void learn(Strategy strategy, const News& news);
  /// Of the next epoch. Call once at the end of each.
  Shares next(const Targets& targets);

 private:
  struct Arm {
    double runs = 0, reward = 0;
  };
  std::array<Arm, kArms.size()> arms_{};
};

}  // namespace heddle
