// An execution with all its events in memory, as explaining reads them: by position in the execution, and by what names
// an event in another execution of the same program.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/order/order.h"
#include "src/result/result.h"
#include "src/trace/container.h"

namespace heddle {

/// Position of an event in an execution.
using At = std::uint32_t;
inline constexpr At kNowhere = ~0u;

class Observed {
 public:
  static constexpr std::uint64_t kMostEvents = 4'000'000;
  /// Errors: the trace cannot be read, or has more than kMostEvents events.
  static Result<Observed> read(const TraceReader& trace);

  const TraceHead& head() const { return head_; }
  const Order& order() const { return order_; }
  std::span<const HeddleEvent> events() const { return events_; }
  const HeddleEvent& operator[](At at) const { return events_[at]; }
  At size() const { return static_cast<At>(events_.size()); }
  EventId id(At at) const { return {events_[at].thread, numbers_[at]}; }
  At at(EventId id) const { return threads_[id.thread].events[id.n]; }

  /// Actions (steps) of its thread that were executed when this event had happened, its own among them.
  std::uint32_t actions(At at) const { return actions_[at]; }
  /// All that a thread executed.
  std::uint32_t actions_of(std::uint32_t thread) const {
    return thread < threads_.size() ? threads_[thread].actions : 0;
  }
  /// The actions of its thread before it took the first of the locks that it held at this event; without locks, those
  /// before the event's own action.
  std::uint32_t before_region(At at) const { return before_region_[at]; }
  /// The actions of its thread when it had given back the last of these locks; without locks actions().
  std::uint32_t behind_region(At at) const { return behind_region_[at]; }

  /// The same event in this execution as `theirs` in another one: the k-th of its thread (by name) at its site, of its
  /// kind. kNowhere: it did not happen here.
  At same(const Observed& other, At theirs) const;

 private:
  struct Key {
    std::uint32_t thread, site, kind, nth;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Thread {
    std::vector<At> events;
    std::uint32_t actions = 0;
  };
  void add(const HeddleEvent& event, std::unordered_map<Key, std::uint32_t, Hash>& counts);
  void find_regions();

  TraceHead head_;
  Order order_;
  std::vector<HeddleEvent> events_;
  std::vector<std::uint32_t> numbers_, actions_, nth_, before_region_, behind_region_;
  std::vector<Thread> threads_;
  std::unordered_map<Key, At, Hash> by_key_;
  std::unordered_map<std::string, std::uint32_t> by_name_;  // threads
};

}  // namespace heddle
