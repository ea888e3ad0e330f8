// What lasts longer than one event: locks that are held, and waits. For timelines.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>
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

/// Locks of which a recording has nothing but the moments in which they were taken: those around calls of libc
/// (runtime/sync/libc_lock.h), whose end is no step. Nobody can say from the trace how long they were held.
class MomentaryLocks {
 public:
  explicit MomentaryLocks(const TraceHead& head);
  /// All events, in a first pass.
  void add(const HeddleEvent& event);
  bool contains(std::uint32_t object) const;

 private:
  struct Seen {
    std::uint32_t taken = 0;
    bool given_back = false;
  };
  bool recorded_;
  std::unordered_set<std::uint32_t> nameless_;  // could be a lock of libc's as well as one of the program's
  std::unordered_set<std::uint32_t> of_libc_;
  std::unordered_map<std::uint32_t, Seen> seen_;
};

/// Fed with all events in order. `take` gets each span when it ends, so not in the order of their beginnings. Memory
/// does not grow with the number of events: a hostile trace that never gives a lock back loses spans. A lock that
/// another thread takes, though the trace does not say that it was given back, has no span: its end is not known.
/// `momentary` (kept; null: there are none): locks that have no spans at all.
class Spans {
 public:
  explicit Spans(std::function<void(const Span&)> take, const MomentaryLocks* momentary = nullptr)
      : take_(std::move(take)), momentary_(momentary) {}
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
  /// Nobody else can hold what this event takes for itself alone.
  void forget_other_holder(const HeddleEvent& event, std::uint32_t object);
  /// How often it had been taken; 0: it was not.
  std::uint32_t release(std::uint64_t index, std::uint16_t owner, std::uint32_t object, bool all, Thread& thread);

  std::function<void(const Span&)> take_;
  std::vector<Thread> threads_;
  std::map<Key, Hold> holds_;
  std::unordered_map<std::uint32_t, std::uint16_t> alone_;  // object -> thread that took it for itself alone
  const MomentaryLocks* momentary_;
};

/// A lock taken (not merely tried), and a lock given back.
bool takes_a_lock(const HeddleEvent& event);
bool gives_a_lock_back(const HeddleEvent& event);

}  // namespace heddle
