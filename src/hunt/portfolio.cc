#include "src/hunt/portfolio.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::uint64_t kLongestPattern = 64;  // runs
constexpr std::uint64_t kDealt = 4;            // one run in so many is dealt out by aptitude alone
// Rewards. Classes of a program that is not tiny are new in every run; sets of pairs are between them and pairs.
constexpr double kRace = 1, kPair = 1, kShape = 0.5, kOrder = 0.05;

// Failures per run, as measured on the half for tuning (docs/benchmarks.md#search): 1 / geometric mean of schedules.
// Of follow-ups, which need races that others showed, it was not measured: that of racedirected.
constexpr std::array<double, kArms.size()> kAptitudes = {0.13, 0.10, 0.086, 0.039, 0.13, 0.088, 0.016, 0.10};
// Of the gamma distribution of such rates over programs.
constexpr double kSpread = 20;

std::size_t place(Strategy strategy) {
  return static_cast<std::size_t>(std::find(kArms.begin(), kArms.end(), strategy) - kArms.begin());
}

// What has nothing to aim at is a random walk: others need its runs more.
bool has_targets(Strategy strategy, const Targets& targets) {
  if (strategy == Strategy::kFollowUp) return !targets.race_runs.empty();
  return strategy != Strategy::kRaceDirected || !targets.races.empty() || !targets.locks.empty();
}

}  // namespace

Portfolio::Portfolio() : bandit_(kAptitudes, kSpread) {}

Pick pick_of(const Mix& mix, std::uint64_t first, std::uint64_t index) {
  const std::uint64_t at = index - first, length = mix.pattern.size();
  const auto here = mix.pattern.begin() + static_cast<std::ptrdiff_t>(at % length);
  const auto times = [&](auto end) { return static_cast<std::uint64_t>(std::count(mix.pattern.begin(), end, *here)); };
  return {*here, mix.before[place(*here)] + at / length * times(mix.pattern.end()) + times(here)};
}

void Portfolio::learn(Strategy strategy, const News& news, bool race) {
  bandit_.learn(place(strategy), std::max({race ? kRace : 0, news.pair ? kPair : 0, news.shape ? kShape : 0,
                                           news.order ? kOrder : 0}));
}

Mix Portfolio::next(const Targets& targets, std::uint64_t seed, std::uint64_t first, std::uint64_t end) {
  Mix out{{}, last_.before};
  for (std::uint64_t index = first_; index < end_; index++)
    out.before[place(last_.pattern[(index - first_) % last_.pattern.size()])]++;
  std::array<bool, kArms.size()> usable{};
  for (std::size_t i = 0; i < kArms.size(); i++) usable[i] = has_targets(kArms[i], targets);
  Dice dice{seed * 0x2545f4914f6cdd1dull ^ first * 0xd1342543de82ef95ull ^ 0xba};
  const std::uint64_t length = std::min(end - first, kLongestPattern);
  for (std::uint64_t index = first; index < first + length; index++) {
    const std::size_t arm = index % kDealt ? bandit_.draw(dice, usable) : bandit_.deal(usable);
    bandit_.give(arm, static_cast<double>(end - first) / static_cast<double>(length));
    out.pattern.push_back(kArms[arm]);
  }
  bandit_.forget();
  last_ = out, first_ = first, end_ = end;
  return out;
}

}  // namespace heddle
