// The locks that each thread held at each of its events, from a trace: its events say whether a lock was taken.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "abi/events.h"
#include "src/trace/event_index.h"

namespace heddle {

enum class LockMode : std::uint8_t { kShared, kAlone };
struct HeldLock {
  std::uint32_t object = 0;
  LockMode mode = LockMode::kAlone;
  friend auto operator<=>(const HeldLock&, const HeldLock&) = default;
};

/// Equal sets are stored once, and a thread has an entry only where its set changes. Whoever waits on a condition
/// variable does not hold its mutex. A lock that another thread takes for itself alone, though the trace does not say
/// that it was given back, was given back then.
class LockSets {
 public:
  /// In order; `n`: number of the event in its thread.
  void execute(const HeddleEvent& event, std::uint32_t n);
  /// Before the event, ascending: an acquisition is not in the set yet, a release still has its lock.
  std::span<const HeldLock> held(EventId event) const;
  // Behind all events so far:
  bool surely_shares(std::uint16_t thread, std::uint32_t object) const;
  /// Of an event that begins a wait on a condition variable and comes next: the mutex that it gives up; 0: none.
  std::uint32_t mutex_of_wait(const HeddleEvent& event) const;

 private:
  struct Hold {
    std::uint32_t object, depth;
    LockMode mode;
    bool sure = true;  // of the mode
  };
  struct Change {
    std::uint32_t from, set;  // number of the first event with that set
  };
  struct Thread {
    std::vector<Hold> holds;  // the last one taken at the end
    Hold given_up{};          // the mutex of the condition variable that it waits on
    std::uint32_t next = 0;   // number of its next event
    std::vector<Change> changes;
  };
  Thread& of(std::uint16_t thread);
  bool take(std::uint16_t thread, const Hold& hold);
  bool give_back(std::uint16_t thread, std::uint32_t object);
  bool give_up(const HeddleEvent& event);
  static Hold taken_by(const HeddleEvent& event);
  bool change(const HeddleEvent& event);
  void note(Thread& thread);

  std::vector<Thread> threads_;
  std::unordered_map<std::uint32_t, std::uint16_t> alone_;  // object -> thread that took it last for itself alone
  std::vector<std::vector<HeldLock>> sets_{1};              // the first one is empty
  std::map<std::vector<HeldLock>, std::uint32_t> numbers_{{{}, 0}};
};

}  // namespace heddle
