// Who holds which mutex or spinlock at a point of a run, as far as the order of its decisions proves it: a decision
// tells what was called, not what the call returned.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "abi/decision.h"
#include "abi/events.h"

namespace heddle {

class LockHolders {
 public:
  /// Executed, in their order from the start of the run; threads below 64.
  void execute(const HeddleDecision& decision);
  /// True: the thread holds the lock. False: it does not, or that is not known (a recursive mutex behind its first
  /// unlock, say).
  bool holds(std::uint32_t thread, std::uint32_t lock) const;

 private:
  static constexpr std::uint32_t kNobody = ~0u;
  struct Lock {
    std::uint32_t holder = kNobody;  // surely
    bool known = true;               // nobody means nobody
    bool again = false;              // the holder asked once more: what its unlock leaves depends on the type
    bool abandoned = false;          // robust, left by a thread that ended: to take it may fail
  };
  void take(Lock& lock, std::uint32_t thread);
  void try_to_take(Lock& lock, std::uint32_t thread);
  void give_back(Lock& lock, std::uint32_t thread);
  void begin_wait(std::uint32_t thread);
  void end_wait(std::uint32_t thread);
  void abandon(std::uint32_t lock);

  std::map<std::uint32_t, Lock> locks_;                     // by object
  std::array<std::vector<std::uint32_t>, 64> before_wait_;  // by thread: what it held when it began to wait
  bool all_abandoned_ = false;
};

}  // namespace heddle
