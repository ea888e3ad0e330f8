#include "src/hunt/portfolio.h"

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

constexpr std::uint32_t kAll = 1000;
// Each one's for good, in the order of kArms; half of the runs in sum. What finds most on its own has more
// (docs/benchmarks.md).
constexpr Shares kFloors = {150, 110, 110, 45, 50, 35};
// Rewards. Pairs are few and soon all seen, classes of a program that is not tiny are new in every run; sets of pairs
// are between them, and go with the chance to fail, a little (docs/hunting.md).
constexpr double kPair = 2, kShape = 1, kOrder = 0.05;
constexpr double kUnknown = 0.2;  // what an arm without runs may be worth
constexpr double kKept = 0.5;     // of what was learned, after an epoch

// One of each kind: a walk, an order of dependent steps, a race, few switches.
constexpr std::array kOpening = {Strategy::kRandom, Strategy::kPos, Strategy::kRaceDirected, Strategy::kPct};

std::size_t place(Strategy strategy) {
  return static_cast<std::size_t>(std::find(kArms.begin(), kArms.end(), strategy) - kArms.begin());
}

// What has nothing to aim at is a random walk: others need its runs more.
bool has_targets(Strategy strategy, const Targets& targets) {
  return strategy != Strategy::kRaceDirected || !targets.races.empty() || !targets.locks.empty();
}

}  // namespace

Shares first_shares() { return kFloors; }

Strategy arm_of(const Shares& shares, std::uint64_t seed, std::uint64_t index) {
  if (index < kOpening.size()) return kOpening[index];
  // Multiples of the golden ratio fill the circle evenly.
  const std::uint64_t at = (seed ^ 0x2545f4914f6cdd1dull) * 0xd1342543de82ef95ull + index * 0x9e3779b97f4a7c15ull;
  const std::uint64_t sum = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  std::uint64_t part = (at >> 32) * sum >> 32;
  for (std::size_t i = 0; i < shares.size(); i++) {
    if (part < shares[i]) return kArms[i];
    part -= shares[i];
  }
  return kArms.back();
}

void Portfolio::learn(Strategy strategy, const News& news) {
  Arm& arm = arms_.at(place(strategy));
  arm.runs++;
  arm.reward += (news.pair ? kPair : 0) + (news.shape ? kShape : 0) + (news.order ? kOrder : 0);
}

Shares Portfolio::next(const Targets& targets) {
  Shares out{};
  std::array<double, kArms.size()> rates{};
  double sum = 0;
  std::uint32_t left = kAll;
  for (std::size_t i = 0; i < kArms.size(); i++) {
    Arm& arm = arms_[i];
    if (!has_targets(kArms[i], targets)) continue;
    out[i] = kFloors[i];
    left -= out[i];
    rates[i] = (arm.reward + kUnknown) / (arm.runs + 1) * kFloors[i];
    sum += rates[i];
    arm.reward *= kKept, arm.runs *= kKept;
  }
  for (std::size_t i = 0; i < kArms.size(); i++)
    if (out[i]) out[i] += static_cast<std::uint32_t>(left * rates[i] / sum);
  return out;
}

}  // namespace heddle
