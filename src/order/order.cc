#include "src/order/order.h"

#include <algorithm>
#include <iterator>

namespace heddle {

Order::Order(const OrderOptions& options)
    : with_memory_(options.memory),
      all_{SyncClocks(EventSource::kTrace, options.edges), {}},
      must_{SyncClocks(EventSource::kTrace, options.must), {}} {}

void Order::History::note(const HeddleEvent& event, std::uint32_t n, const std::vector<std::uint32_t>& events) {
  if (threads.size() < events.size()) threads.resize(events.size());
  for (std::uint16_t thread : clocks.closed()) threads[thread].ends.push_back(events[thread] - 1);
  Thread& thread = threads[event.thread];
  if (const SyncClocks::Birth* birth = clocks.birth()) {
    thread.creation = {birth->creator, birth->n};
    thread.created = true;
  }
  for (const SyncClocks::Raise& raise : clocks.raised()) thread.knows[raise.thread].push_back({n, raise.epochs});
}

/// How many epochs of thread `of` came before that event.
std::uint32_t Order::History::known(EventId at, std::uint16_t of) const {
  for (;;) {
    const Thread& thread = threads[at.thread];
    if (at.thread == of)  // as a creator: the epoch that its creation ended, too
      return static_cast<std::uint32_t>(std::ranges::upper_bound(thread.ends, at.n) - thread.ends.begin());
    if (const auto knows = thread.knows.find(of); knows != thread.knows.end()) {
      const auto behind = std::ranges::upper_bound(knows->second, at.n, {}, &Knowledge::n);
      if (behind != knows->second.begin()) return std::prev(behind)->epochs;
    }
    if (!thread.created) return 0;
    at = thread.creation.id();
  }
}

bool Order::History::before(EventId a, EventId b) const {
  if (a.thread == b.thread) return a.n < b.n;
  const std::vector<std::uint32_t>& ends = threads[a.thread].ends;
  const auto epoch = std::ranges::lower_bound(ends, a.n) - ends.begin();
  return known(b, a.thread) > static_cast<std::uint64_t>(epoch);
}

bool Order::add(std::span<const HeddleEvent> events) {
  for (const HeddleEvent& event : events) {
    if (event.thread >= kMostThreads) return false;
    if (event.thread >= events_.size()) events_.resize(event.thread + 1u);
    if (events_[event.thread] == ~std::uint32_t{0}) return false;
    const std::uint32_t n = events_[event.thread]++;
    for (History* history : {&all_, &must_}) {
      history->clocks.execute(event, n, &locks_);
      history->note(event, n, events_);
    }
    for (const SyncClocks::Edge& edge : all_.clocks.edges())
      edges_.push_back({{edge.thread, edge.n}, {event.thread, n}, edge.kind});
    locks_.execute(event, n);
    if (with_memory_) memory_.execute(event, n);
  }
  return true;
}

Result<Order> Order::of(const TraceReader& trace, const OrderOptions& options) {
  Order order(options);
  bool all = true;
  const Status read =
      trace.for_each_block([&](std::span<const HeddleEvent> events) { return all = order.add(events); });
  if (!read) return std::unexpected(read.error());
  if (!all) return error("the trace has more threads or events than a run can have");
  return order;
}

bool Order::before(EventId a, EventId b, Relation relation) const {
  return has(a) && has(b) && history(relation).before(a, b);
}

bool Order::concurrent(EventId a, EventId b, Relation relation) const {
  return has(a) && has(b) && a != b && !before(a, b, relation) && !before(b, a, relation);
}

bool Order::exclude_each_other(EventId a, EventId b) const {
  const std::span<const HeldLock> mine = locks_held(a), theirs = locks_held(b);
  return std::ranges::any_of(mine, [&](const HeldLock& lock) {
    return std::ranges::any_of(theirs, [&](const HeldLock& other) {
      return lock.object == other.object && (lock.mode == LockMode::kAlone || other.mode == LockMode::kAlone);
    });
  });
}

}  // namespace heddle
