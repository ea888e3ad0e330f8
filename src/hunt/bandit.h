// Thompson sampling (Thompson, Biometrika 1933): of some arms, the one whose drawn worth is the highest gets the next
// run. What an arm is worth is its aptitude (how often its runs fail, from other programs, and less with each run here
// that did not), squared, times the chance that a run of it shows something new (from this program): who is half as apt
// has to be four times as new. Deviations: the posterior is a normal one with mean and variance of the beta
// distribution, since sums and square roots are the same on every machine; what was learned is discounted with each
// epoch, as news are no property of an arm but get rare; a part of the runs is dealt out by aptitude alone, since a bug
// need not show in anything else. For strategies, and for whatever else a run can be given (a modifier: on and off).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "src/hunt/dice.h"

namespace heddle {

template <std::size_t N>
class Bandit {
 public:
  /// `aptitudes`: failures per run in other programs, on average; `shape`: how equal programs are in that (of a gamma
  /// distribution).
  Bandit(const std::array<double, N>& aptitudes, double shape) : shape_(shape), aptitudes_(aptitudes) {}

  /// `reward`: 0 (nothing new) to 1.
  void learn(std::size_t arm, double reward) {
    arms_.at(arm).runs++;
    arms_.at(arm).rewards += reward;
  }
  /// At the end of an epoch.
  void forget() {
    for (Arm& arm : arms_) arm.runs *= kKept, arm.rewards *= kKept;
  }
  /// The arm gets so many runs; if one of them fails, nobody asks any more.
  void give(std::size_t arm, double runs) { made_.at(arm) += runs; }
  /// Who gets the next run; arms with usable[i] false do not. One is usable.
  std::size_t draw(Dice& dice, const std::array<bool, N>& usable) const {
    std::size_t best = N;
    double highest = 0;
    for (std::size_t i = 0; i < N; i++) {
      const double worth = aptitude(i) * aptitude(i) * chance(arms_[i], dice);
      if (usable[i] && (best == N || worth > highest)) best = i, highest = worth;
    }
    return best;
  }
  /// The same by aptitude alone: over many calls each arm has its share, evenly spread.
  std::size_t deal(const std::array<bool, N>& usable) {
    double sum = 0, total = 0;
    for (std::size_t i = 0; i < N; i++) total += usable[i] ? aptitude(i) : 0;
    std::size_t best = N;
    for (std::size_t i = 0; i < N; i++) {
      if (!usable[i]) continue;
      due_[i] += aptitude(i) / total, sum += aptitude(i) / total;
      if (best == N || due_[i] > due_[best]) best = i;
    }
    due_[best] -= sum;
    return best;
  }

 private:
  static constexpr double kKept = 0.5;      // of what was learned, after an epoch
  static constexpr double kExpected = 8.0;  // runs that showed something new, before any was made ...
  static constexpr double kDoubted = 1.0;   // ... and that did not
  struct Arm {
    double runs = 0, rewards = 0;
  };
  // The rate of failures is gamma-distributed over programs, with the aptitude as its mean. After n runs without a
  // failure its mean is this: who was apt elsewhere and has not found anything here is not apt here.
  double aptitude(std::size_t i) const { return shape_ / (shape_ / aptitudes_[i] + made_[i]); }
  static double chance(const Arm& arm, Dice& dice) {
    double normal = -6;  // the sum of twelve uniform ones
    for (int i = 0; i < 12; i++) normal += static_cast<double>(dice.next() >> 11) * 0x1p-53;
    const double all = arm.runs + kExpected + kDoubted, mean = (arm.rewards + kExpected) / all;
    return std::clamp(mean + normal * std::sqrt(mean * (1 - mean) / (all + 1)), 0.001, 1.0);
  }
  double shape_;
  std::array<double, N> aptitudes_, made_{}, due_{};
  std::array<Arm, N> arms_{};
};

}  // namespace heddle
