// The order layer: what came before what in one execution, which write each read saw, which locks were held. Built in
// one pass over the events of a trace; then asked about pairs of events.
//
// An event is known by EventId{thread, n} (src/trace/event_index.h): the n-th event of its thread. All executions of
// one schedule at one detail agree on it.
//
// Memory: two numbers per epoch of a thread (it ends at a release), two per piece of knowledge that an acquisition
// brought, two per change of a lock set, 32 bytes per read and per conflicting pair; nothing for other events.
//
// Who computes an order of his own, and why:
//   - src/hunt/observation.cc needs the class of a run's order, not the order of two events: a hash that is equal for
//     equal orders, in a few operations per decision. It shares ByteRanges and the places of decisions.
//   - src/hunt/dpor.cc asks which pairs of steps race, by its own relation (dependent()): it has to look at pairs, and
//     counts steps, not epochs. It shares FixedClock, LockHolders and the classes of events.
//   - src/hunt/potential_races.cc uses SyncClocks with thread edges, on decisions, and keeps no history.
//   - src/lift/order.cc asks whether two accesses have points between them: positions, not clocks.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "src/order/lock_sets.h"
#include "src/order/memory_order.h"
#include "src/order/sync_clocks.h"
#include "src/result/result.h"
#include "src/trace/container.h"

namespace heddle {

struct OrderOptions {
  EdgeSet edges = EdgeSet::all();
  /// Of Relation::kMust; a subset of `edges`. What locks ordered could have been ordered the other way round. ConSeq:
  /// {kThread, kBarrier, kOnce, kChannel}.
  EdgeSet must = EdgeSet::all().without(EdgeKind::kLock);
  bool memory = true;  // reads_from() and conflicts()
};

enum class Relation : std::uint8_t {
  kAll,   // as executed
  kMust,  // by OrderOptions::must alone
};

/// The second event comes behind the first one because of that synchronisation.
struct SyncEdge {
  EventId from, to;
  EdgeKind kind;
  bool operator==(const SyncEdge&) const = default;
};

class Order {
 public:
  static constexpr std::uint16_t kMostThreads = 4096;

  explicit Order(const OrderOptions& options = {});
  /// Of all events of a trace. Errors: as TraceReader::for_each_block(), and what add() refuses.
  static Result<Order> of(const TraceReader& trace, const OrderOptions& options = {});

  /// The next events, in the order of execution. False, and nothing is taken from there on: a thread beyond
  /// kMostThreads or with 2^32 events, which no run has.
  bool add(std::span<const HeddleEvent> events);

  // Of events that were added; of others nothing is known: false, or empty.
  std::size_t threads() const { return events_.size(); }
  std::uint64_t events(std::uint16_t thread) const { return thread < events_.size() ? events_[thread] : 0; }
  /// A strict partial order, which the order of execution extends.
  bool before(EventId a, EventId b, Relation relation = Relation::kAll) const;
  /// Different events, of which none is before the other.
  bool concurrent(EventId a, EventId b, Relation relation = Relation::kAll) const;
  std::vector<ReadPart> reads_from(EventId read) const { return memory_.reads_from(read); }
  /// Ascending by object: the locks that the thread has when the event takes place. What an event acquires it does not
  /// have yet, what it releases it still has.
  std::span<const HeldLock> locks_held(EventId event) const { return locks_.held(event); }
  /// Both events have a lock, at least one of them for itself alone: no schedule can put one inside of the other's
  /// critical section.
  bool exclude_each_other(EventId a, EventId b) const;

  /// In the order of `to`. Relation::kAll is the transitive closure of these and of the order of events of one thread.
  std::size_t edges() const { return edges_.size(); }
  SyncEdge edge(std::size_t i) const { return {edges_[i].from.id(), edges_[i].to.id(), edges_[i].kind}; }
  /// MemoryOrder::conflicts()
  std::size_t conflicts() const { return memory_.conflicts(); }
  Conflict conflict(std::size_t i) const { return memory_.conflict(i); }

 private:
  struct Knowledge {  // from event `n` on: so many epochs of another thread came before
    std::uint32_t n, epochs;
  };
  struct Thread {
    std::vector<std::uint32_t> ends;                        // of its epochs: the last event of each
    std::map<std::uint16_t, std::vector<Knowledge>> knows;  // of another thread; without what its creator knew
    EventRef creation;                                      // what its creator knew there, it knows
    bool created = false;
  };
  struct History {
    SyncClocks clocks;
    std::vector<Thread> threads;
    void note(const HeddleEvent& event, std::uint32_t n, const std::vector<std::uint32_t>& events);
    std::uint32_t known(EventId at, std::uint16_t of) const;
    bool before(EventId a, EventId b) const;
  };
  struct Edge {
    EventRef from, to;
    EdgeKind kind;
  };
  const History& history(Relation relation) const { return relation == Relation::kAll ? all_ : must_; }
  bool has(EventId event) const { return event.n < events(event.thread); }

  bool with_memory_;
  History all_, must_;
  LockSets locks_;
  MemoryOrder memory_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> events_;  // by thread: how many
};

}  // namespace heddle
