// The strategy `auto`: a portfolio. Each run is one of a strategy; who gets how many runs is decided anew at the end of
// every epoch by a bandit (bandit.h). A run is rewarded for what it showed that none before it did: a data race, a
// reads-from pair, a set of such pairs.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "src/hunt/bandit.h"
#include "src/hunt/coverage.h"
#include "src/hunt/knowledge.h"
#include "src/hunt/strategy.h"

namespace heddle {

inline constexpr std::array kArms = {Strategy::kSurw, Strategy::kRaceDirected, Strategy::kPos, Strategy::kPct,
                                     Strategy::kRff,  Strategy::kRandom,       Strategy::kIcb, Strategy::kFollowUp};

/// The runs of one epoch: these in turn, again and again.
struct Mix {
  std::vector<Strategy> pattern{Strategy::kRandom};
  std::array<std::uint64_t, kArms.size()> before{};  // by arm: its runs in earlier epochs
};

/// Run `index` of an epoch that begins at `first`: a function of its arguments.
Pick pick_of(const Mix& mix, std::uint64_t first, std::uint64_t index);

class Portfolio {
 public:
  Portfolio();
  /// A run of this strategy was observed; in the order of run indices. `race`: it showed a new one.
  void learn(Strategy strategy, const News& news, bool race);
  /// Of the next epoch: runs `first` to `end`. Call once at the end of each.
  Mix next(const Targets& targets, std::uint64_t seed, std::uint64_t first, std::uint64_t end);

 private:
  Bandit<kArms.size()> bandit_;
  Mix last_;
  std::uint64_t first_ = 0, end_ = 1;  // of the epoch before
};

}  // namespace heddle
