// The happens-before order of an execution while it is read: which synchronisation orders which events of different
// threads, and a vector clock for each thread.
//
// Rules of this file: nothing is ordered that was not, except where an event does not tell what it did. Then too much
// is ordered, never too little:
//   - atomics and fences: traces do not have memory orders, so every store publishes and every load acquires;
//   - system calls that others can notice: all pipes, sockets and signals are one channel;
//   - semaphores and condition variables: whoever takes a token comes behind all threads that left one, as in the race
//     detector (runtime/detector/sync.cc);
// Decisions of a hunt say what was asked for and not what came of it: of these, only threads are ordered.
#pragma once
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "abi/events.h"
#include "src/order/byte_ranges.h"
#include "src/order/clock.h"
#include "src/order/lock_sets.h"
#include "src/order/operation.h"

namespace heddle {

enum class EdgeKind : std::uint8_t {
  kThread,     // a creation and the first event; the last event and a join
  kLock,       // a release and the next acquisition; a read-write lock's readers are not ordered
  kCondition,  // a signal and an end of a wait
  kSemaphore,
  kBarrier,
  kOnce,  // the initialiser's end and who comes behind it
  kFutex,
  kAtomic,   // a store, and loads of its value or of one that read-modify-writes made of it
  kChannel,  // system calls and signals
  kCount
};

class EdgeSet {
 public:
  constexpr EdgeSet() = default;
  constexpr EdgeSet(std::initializer_list<EdgeKind> kinds) {
    for (EdgeKind kind : kinds) bits_ |= 1u << static_cast<unsigned>(kind);
  }
  static constexpr EdgeSet all() { return EdgeSet((1u << static_cast<unsigned>(EdgeKind::kCount)) - 1); }
  constexpr EdgeSet without(EdgeKind kind) const { return EdgeSet(bits_ & ~(1u << static_cast<unsigned>(kind))); }
  constexpr bool has(EdgeKind kind) const { return bits_ >> static_cast<unsigned>(kind) & 1; }

 private:
  constexpr explicit EdgeSet(unsigned bits) : bits_(bits) {}
  unsigned bits_ = 0;
};

/// The events of a thread up to and with one that others may come behind are an epoch; epochs of a thread count from 0.
/// An event in epoch k of thread t happened before the present of thread u if clock(u)[t] > k.
class SyncClocks {
 public:
  explicit SyncClocks(EdgeSet edges) : edges_(edges) {}

  /// In order; `n`: number of the event in its thread. `locks`: of all events before; they tell how a read-write lock
  /// was held and which mutex a wait gives up (null: for writing, and none).
  void execute(const HeddleEvent& event, std::uint32_t n, const LockSets* locks = nullptr);
  /// The same of a decision: EdgeKind::kThread, and no other edges.
  void execute(const HeddleDecision& decision, std::uint32_t n);

  /// Of the thread's next event.
  std::uint32_t epoch(std::uint16_t thread) const { return thread < threads_.size() ? threads_[thread].epochs : 0; }
  const Clock& clock(std::uint16_t thread) const {
    return thread < threads_.size() ? threads_[thread].clock : nothing_;
  }

  // Of the event that was executed last:
  struct Edge {  // it comes behind this one, and nothing before it has said so
    std::uint16_t thread;
    std::uint32_t n;
    EdgeKind kind;
  };
  std::span<const Edge> edges() const { return into_; }
  struct Raise {
    std::uint16_t thread;
    std::uint32_t epochs;
  };
  /// What its thread knows of other threads since then.
  std::span<const Raise> raised() const { return raised_; }
  /// Threads whose epoch ended with their last event up to now.
  std::span<const std::uint16_t> closed() const { return closed_; }
  /// It is the first one of its thread, and begins with all that the creator knew then; raised() does not repeat that.
  struct Birth {
    std::uint16_t creator;
    std::uint32_t n;
  };
  const Birth* birth() const { return is_birth_ ? &birth_ : nullptr; }

 private:
  struct Release {  // the latest one of a thread, if nobody has released behind it
    std::uint16_t thread;
    std::uint32_t n, epochs;
  };
  struct Meeting {  // where threads meet: what was released there
    Clock clock;
    std::vector<Release> latest;
  };
  struct Object {
    Meeting alone, shared;  // `shared`: releases of a read-write lock that was held for reading
  };
  struct Barrier {
    Meeting open;  // of the round that has begun
    std::vector<std::uint16_t> inside;
    std::unordered_map<std::uint16_t, std::shared_ptr<const Meeting>> rounds;  // by thread: the one that it is to leave
  };
  struct Thread {
    Clock clock;
    std::uint32_t epochs = 0, next = 0;
    bool begun = false;
  };

  Thread& of(std::uint16_t thread);
  void close_epoch(std::uint16_t thread);
  void acquire(std::uint16_t thread, const Meeting& meeting, EdgeKind kind);
  void release(std::uint16_t thread, std::uint32_t n, Meeting& meeting);

  /// Whether it is the first one of its thread.
  bool begin_event(std::uint16_t thread, std::uint32_t n);
  void begin(std::uint16_t thread, std::optional<std::uint16_t> creator);
  void create(std::uint16_t thread, std::uint32_t n, std::optional<std::uint16_t> child);
  void join(std::uint16_t thread, std::uint64_t whom);
  void lock(const HeddleEvent& event);
  void unlock(const HeddleEvent& event, std::uint32_t n, const LockSets* locks);
  void condition(const HeddleEvent& event, std::uint32_t n, const LockSets* locks);
  void barrier(const HeddleEvent& event, std::uint32_t n);
  void end_round(Barrier& barrier);
  void meet(const HeddleEvent& event, std::uint32_t n, EdgeKind kind);
  void atomic(const HeddleEvent& event, std::uint32_t n);
  void channel(const HeddleEvent& event, std::uint32_t n);
  void object(const HeddleEvent& event, std::uint32_t n, const LockSets* locks);

  EdgeSet edges_;
  Clock nothing_;
  std::vector<Thread> threads_;
  struct Created {
    std::uint16_t creator;
    Meeting meeting;
  };
  std::unordered_map<std::uint16_t, Created> children_;             // by index, where the creation named it
  std::deque<Created> nameless_;                                    // creations that did not, and nobody has claimed
  std::unordered_map<std::uint32_t, std::uint16_t> names_;  // of decisions: hash of a thread's name -> its index
  std::unordered_map<std::uint32_t, Object> objects_;
  std::unordered_map<std::uint32_t, Barrier> barriers_;
  std::unordered_map<std::uint16_t, std::uint32_t> given_up_;       // by thread that waits on a condition: its mutex
  ByteRanges<Meeting> atomics_;
  Meeting channel_;

  std::vector<Edge> into_;
  std::vector<Raise> raised_;
  std::vector<std::uint16_t> closed_;
  Birth birth_{};
  bool is_birth_ = false;
};

}  // namespace heddle
