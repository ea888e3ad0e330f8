// DPOR (Flanagan, Godefroid: Dynamic Partial-Order Reduction for Model Checking Software, POPL 2005) with sleep sets:
// one schedule, at least, of each class of schedules that differ only in the order of independent operations.
// Deviations: what is tried in place of the earlier of two racing steps is chosen as by source sets (Abdulla et al.,
// POPL 2014), since with sleep sets the paper's choice misses classes; stateless and after the fact, on the decisions
// of whole runs; operations that touch more than their object (condition variables, futexes, I/O) depend on all of
// their kind, and a step behind which its thread must give way depends on all others. Time is no operation: timeouts
// that can pass while others run have more behaviours than are enumerated.
// Its order of steps is the closure of dependent(), not that of src/order: it looks at every pair of steps anyway, to
// find the races among them, so clocks come with that, and operations that do not synchronise are ordered, too.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "abi/decision.h"
#include "abi/events.h"
#include "src/hunt/enumeration.h"
#include "src/order/clock.h"

namespace heddle {

/// Does it matter which of two operations of different threads comes first?
bool dependent(const HeddleDecision& a, const HeddleDecision& b);

class Dpor {
 public:
  /// From the start: the set of points has changed.
  void restart();
  /// What to execute next; nothing: see complete().
  std::optional<Prefix> next();
  /// `pending`: what threads that were left would have done next; `failing`: the thread that failed.
  void learn(std::span<const HeddleDecision> run, std::span<const HeddleDecision> pending = {},
             std::optional<std::uint32_t> failing = std::nullopt);

  bool complete() const { return complete_; }
  bool exact() const { return !trouble_ && !too_large_; }
  bool too_large() const { return too_large_; }
  /// Schedules that are known to be left; they may lead to others.
  std::uint64_t waiting() const;

 private:
  struct Node {  // the decision before a step
    HeddleDecision chosen;
    std::uint64_t enabled = 0, backtrack = 0, done = 0;  // bits of threads
    std::vector<HeddleDecision> sleep;  // what need not be executed here; its first step elsewhere has shown it
    std::vector<HeddleDecision> tried;
    std::uint64_t open() const;  // threads that are to be tried
  };
  /// The step from which on the run did what others had done.
  std::size_t extend(std::span<const HeddleDecision> decisions);
  void find_races(std::span<const HeddleDecision> decisions, std::span<const HeddleDecision> pending,
                  std::size_t redundant);
  using StepClock = FixedClock<64>;  // by thread: how many of its steps came before
  struct Trace {
    std::span<const HeddleDecision> decisions;
    std::vector<StepClock> after;    // of each step that is not redundant
    std::vector<bool> releases;  // likewise: it unlocks what its thread holds
    std::size_t known;           // so many
    bool before(std::size_t step, const StepClock& clock) const {
      return clock[decisions[step].thread] >= after[step][decisions[step].thread];
    }
    bool exclude_each_other(std::size_t earlier, const HeddleDecision& later, bool later_releases) const;
  };
  void race(const Trace& trace, std::size_t earlier, const HeddleDecision& event, std::size_t later,
            const StepClock& at_later);
  bool awaits(const Trace& trace, std::size_t earlier, const HeddleDecision& later, bool releases,
              std::size_t pending_since, const StepClock& beside) const;

  std::vector<Node> nodes_;
  bool started_ = false, complete_ = false, trouble_ = false, too_large_ = false;
  std::uint16_t then_ = 0;  // the choice of the last node that has not been executed yet
};

}  // namespace heddle
