#include "src/hunt/portfolio.h"

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

constexpr std::uint32_t kAll = 1000;
// Rewards. Pairs are few and soon all seen, classes of a program that is not tiny are new in every run; sets of pairs
// are between them, and go with the chance to fail, a little (docs/hunting.md).
constexpr double kPair = 2, kShape = 1, kOrder = 0.05;
constexpr double kUnknown = 0.2;  // what an arm without runs may be worth
constexpr double kKept = 0.5;     // of what was learned, after an epoch

std::size_t place(Strategy strategy) {
  return static_cast<std::size_t>(std::find(kArms.begin(), kArms.end(), strategy) - kArms.begin());
}

// What has nothing to aim at is a random walk: others need its runs more.
bool has_targets(Strategy strategy, const Targets& targets) {
  return strategy != Strategy::kRaceDirected || !targets.races.empty() || !targets.locks.empty();
}

/// What is known of the program decides where to begin.
enum class Look {
  kRacy,    // data races: where to aim at is known
  kListed,  // no race, threads that wait for each other, and so small that the ways to leave a run can be listed: what
            // matters is who waits when, and that needs no preemption
  kPipeline,  // no race, threads that wait for each other: many steps are independent
  kOther,
};
constexpr std::uint64_t kSmall = 1000;  // threads times steps
constexpr std::uint64_t kYoung = 64;    // runs: later on, what was missed is elsewhere

Look look(const Targets& targets, std::uint64_t first, std::uint64_t longest) {
  if (!targets.races.empty()) return Look::kRacy;
  if (!targets.waits || first >= kYoung) return Look::kOther;
  return targets.threads * longest < kSmall ? Look::kListed : Look::kPipeline;
}

// Each one's for good, in the order of kArms; half of the runs in sum. What finds most on its own has more
// (docs/benchmarks.md).
const Shares& floors_of(Look look) {
  static constexpr std::array<Shares, 4> kFloors = {{
      {60, 250, 60, 50, 50, 20, 10},
      {20, 10, 30, 25, 45, 10, 360},
      {50, 30, 210, 20, 170, 15, 5},
      {120, 100, 120, 40, 80, 30, 10},
  }};
  return kFloors[static_cast<std::size_t>(look)];
}

// One run has shown nearly all that those who meet at locks can see of each other: aiming there would show it again.
bool worth_aiming(const Targets& targets) {
  return !targets.races.empty() || targets.unseen.size() >= targets.locks.size();
}

// The first runs, while little is known: one of each kind that fits. Run 0 was a random walk.
std::vector<Strategy> opening(Look look, const Targets& targets, std::uint64_t first) {
  using enum Strategy;
  if (first != 1 && first != 4) return {};
  const bool second = first == 4;
  switch (look) {
    case Look::kRacy:
      return second ? std::vector{kRaceDirected, kRaceDirected, kRff} : std::vector{kPos, kRaceDirected, kPct};
    case Look::kListed:
      return second ? std::vector{kRff, kPct} : std::vector{kPct, kIcb, kRff};
    case Look::kPipeline:
      return second ? std::vector{kPos, kRff} : std::vector{kPos, kRff, kRaceDirected};
    case Look::kOther:
      if (second) return {kRff, kPct};
      return worth_aiming(targets) ? std::vector{kPos, kRaceDirected, kRaceDirected} : std::vector{kPos, kSurw, kPct};
  }
  return {};
}

}  // namespace

Strategy arm_of(const Mix& mix, std::uint64_t seed, std::uint64_t first, std::uint64_t index) {
  if (index - first < mix.opening.size()) return mix.opening[index - first];
  // Multiples of the golden ratio fill the circle evenly.
  const std::uint64_t at = (seed ^ 0x2545f4914f6cdd1dull) * 0xd1342543de82ef95ull + index * 0x9e3779b97f4a7c15ull;
  const std::uint64_t sum = std::accumulate(mix.shares.begin(), mix.shares.end(), std::uint64_t{0});
  std::uint64_t part = (at >> 32) * sum >> 32;
  for (std::size_t i = 0; i < kArms.size(); i++) {
    if (part < mix.shares[i]) return kArms[i];
    part -= mix.shares[i];
  }
  return kArms.front();
}

void Portfolio::learn(Strategy strategy, const News& news) {
  Arm& arm = arms_.at(place(strategy));
  arm.runs++;
  arm.reward += (news.pair ? kPair : 0) + (news.shape ? kShape : 0) + (news.order ? kOrder : 0);
}

Mix Portfolio::next(const Targets& targets, std::uint64_t first, std::uint64_t longest) {
  const Look seen = look(targets, first, longest);
  const Shares& floors = floors_of(seen);
  Mix out;
  out.opening = opening(seen, targets, first);
  std::array<double, kArms.size()> rates{};
  double sum = 0;
  std::uint32_t left = kAll;
  for (std::size_t i = 0; i < kArms.size(); i++) {
    Arm& arm = arms_[i];
    if (!has_targets(kArms[i], targets)) continue;
    out.shares[i] = floors[i];
    left -= out.shares[i];
    rates[i] = (arm.reward + kUnknown) / (arm.runs + 1) * floors[i];
    sum += rates[i];
    arm.reward *= kKept, arm.runs *= kKept;
  }
  for (std::size_t i = 0; i < kArms.size(); i++)
    if (out.shares[i]) out.shares[i] += static_cast<std::uint32_t>(left * rates[i] / sum);
  return out;
}

}  // namespace heddle
