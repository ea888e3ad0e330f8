// Every schedule once: ICB (Musuvathi, Qadeer: Iterative Context Bounding, PLDI 2007) and plain depth-first search.
// Both are stateless: a schedule is a prefix of choices, the run goes on without preemptions, and each choice behind
// the prefix that could have been another one is a new prefix. Deviations: within a bound the prefixes are taken in a
// random order (the paper: in depth-first order), so that a budget that ends early has not spent everything on the ends
// of runs; giving way after spinning is free, as blocking is.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/decision.h"
#include "abi/events.h"
#include "abi/region.h"
#include "src/hunt/dice.h"

namespace heddle {

using Prefix = std::vector<HeddleSegment>;

class Enumeration {
 public:
  enum class Order { kByPreemptions, kDepthFirst };
  static constexpr std::size_t kMostWaiting = 8'000'000;  // prefixes; 32 bytes each, and the runs that they are of
  Enumeration(Order order, std::uint64_t seed, std::optional<std::uint32_t> bound = std::nullopt,
              std::size_t most = kMostWaiting);

  /// From the start: the set of points has changed.
  void restart();
  /// Up to `most` schedules to be executed now. None: see complete().
  std::vector<Prefix> take(std::size_t most);
  /// The decisions of the run of the i-th of take(); call in that order.
  void learn(std::size_t i, std::span<const HeddleDecision> decisions);
  /// A run of take() that was not executed to its end and may not be believed.
  void lost(std::size_t) { in_flight_--, trouble_ = true; }

  bool complete() const { return queue_.empty() && later_.empty() && !in_flight_; }
  /// All schedules with at most so many preemptions were executed; nothing yet: nullopt.
  std::optional<std::uint32_t> finished_bound() const { return finished_; }
  /// What was executed is all there is: no run left its prefix, no thread was beyond 64, memory sufficed.
  bool exact() const { return !trouble_ && !too_large_; }
  bool too_large() const { return too_large_; }
  std::uint64_t waiting() const { return queue_.size() + later_.size(); }

 private:
  struct Item {
    std::shared_ptr<const std::vector<std::uint16_t>> run;  // threads by step; null: the empty prefix
    std::uint32_t steps = 0;                                // of it, to be followed
    std::uint16_t then = 0;                                 // the thread behind them
  };
  std::size_t length(const Item& item) const { return item.run ? item.steps + 1 : 0; }
  bool followed(const Item& item, std::span<const HeddleDecision> decisions) const;
  void next_bound();
  Item pop();

  Order order_;
  Dice dice_;
  std::optional<std::uint32_t> bound_, finished_;
  std::size_t most_;
  std::uint32_t current_ = 0;
  std::vector<Item> queue_, later_, taken_;
  std::size_t in_flight_ = 0;
  bool trouble_ = false, too_large_ = false;
};

/// The first `steps` of `threads` and then one step of `then`.
Prefix prefix_of(std::span<const std::uint16_t> threads, std::size_t steps, std::uint16_t then);

}  // namespace heddle
