// What lasts longer than one event: locks that are held, and waits. For timelines.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "src/trace/trace.h"

namespace heddle {

struct Span {
  enum class Kind { Held, Wait };
  Kind kind = Kind::Held;
  std::uint64_t from = 0, to = 0;  // event indices, [from, to)
  HeddleEvent cause{};             // Held: by which the lock was taken; Wait: what the thread waited to do
  bool ended = true;               // false: lasts until the end of the trace
};

/// Fed with all events in order. `take` gets each span when it ends, so not in the order of their beginnings. Memory
/// does not grow with the number of events: a hostile trace that never gives a lock back loses spans.
class Spans {
 public:
  explicit Spans(std::function<void(const Span&)> take) : take_(std::move(take)) {}
  void add(std::uint64_t index, const HeddleEvent& event);
  /// Locks that are still held.
  void finish(std::uint64_t end);

 private:
  struct Hold {
    std::uint64_t from = 0;
    std::uint32_t depth = 0;
    HeddleEvent cause{};
  };
  struct Thread {
    std::uint64_t last = 0;  // its last event
    bool seen = false;
    std::vector<std::uint32_t> held;   // objects, the last one taken at the end
    std::uint32_t given_up = 0;        // mutex of the condition variable that it waits on
    std::uint32_t given_up_depth = 0;  // how often it had been taken
  };
  using Key = std::pair<std::uint16_t, std::uint32_t>;  // thread, object
  void wait_before(std::uint64_t index, const HeddleEvent& event, const Thread& thread);
  void acquire(std::uint64_t index, const HeddleEvent& event, std::uint32_t object, std::uint32_t times,
               Thread& thread);
  /// How often it had been taken; 0: it was not.
  std::uint32_t release(std::uint64_t index, std::uint16_t owner, std::uint32_t object, bool all, Thread& thread);

  std::function<void(const Span&)> take_;
  std::vector<Thread> threads_;
  std::map<Key, Hold> holds_;
};

/// A lock taken (not merely tried), and a lock given back.
bool takes_a_lock(const HeddleEvent& event);
bool gives_a_lock_back(const HeddleEvent& event);

}  // namespace heddle
