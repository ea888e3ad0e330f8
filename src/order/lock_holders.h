// Who holds which lock at a point of a run, as far as the order of its decisions proves it: a decision tells what was
// called, not what the call returned. Of a trace, which has the results, lock_sets.h knows more.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "abi/events.h"

namespace heddle {

class LockHolders {
 public:
  /// Executed, in their order from the start of the run; threads below 64.
  void execute(const HeddleEvent& decision);
  /// True: the thread holds the mutex or spinlock. False: it does not, or that is not known (a recursive mutex behind
  /// its first unlock, say).
  bool holds(std::uint32_t thread, std::uint32_t lock) const;
  /// All locks that the thread holds, in either way, ascending.
  std::vector<std::uint32_t> held(std::uint32_t thread) const;

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

  void execute_rw(const HeddleEvent& decision);

  std::map<std::uint32_t, Lock> locks_;                     // mutexes and spinlocks, by object
  std::array<std::set<std::uint32_t>, 64> rw_;              // by thread: read-write locks, until its first unlock
  std::array<std::vector<std::uint32_t>, 64> before_wait_;  // by thread: what it held when it began to wait
  bool all_abandoned_ = false;
};

}  // namespace heddle
