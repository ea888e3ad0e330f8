#include "src/explain/observed.h"

#include <fmt/format.h>

namespace heddle {

std::size_t Observed::Hash::operator()(const Key& key) const {
  std::uint64_t hash = (std::uint64_t{key.thread} << 32 | key.site) * 0x9e3779b97f4a7c15ull;
  hash = (hash ^ hash >> 29 ^ (std::uint64_t{key.kind} << 32 | key.nth)) * 0xbf58476d1ce4e5b9ull;
  return hash ^ hash >> 31;
}

Result<Observed> Observed::read(const TraceReader& trace) {
  Observed out;
  out.head_ = trace.head();
  if (trace.event_count() > kMostEvents)
    return error(
        fmt::format("the trace has {} events; heddle explain reads at most {}", trace.event_count(), kMostEvents),
        "HEDDLE_OPTIONS=detail=points leaves out plain accesses");
  for (std::uint32_t i = 0; i < out.head_.threads.size(); i++) out.by_name_[out.head_.threads[i].name] = i;
  std::unordered_map<Key, std::uint32_t, Hash> counts;
  bool known = true;
  Status read = trace.for_each_block([&](std::span<const HeddleEvent> events) {
    known = out.order_.add(events);
    if (known)
      for (const HeddleEvent& event : events) out.add(event, counts);
    return known;
  });
  if (!read) return std::unexpected(read.error());
  if (!known) return error(fmt::format("the trace has more than {} threads", Order::kMostThreads));
  out.find_regions();
  return out;
}

void Observed::add(const HeddleEvent& event, std::unordered_map<Key, std::uint32_t, Hash>& counts) {
  if (event.thread >= threads_.size()) threads_.resize(event.thread + 1u);
  Thread& thread = threads_[event.thread];
  if (event.flags & HEDDLE_EF_POINT) thread.actions++;
  const std::uint32_t nth = counts[{event.thread, event.site, event.kind, 0}]++;
  by_key_[{event.thread, event.site, event.kind, nth}] = size();
  numbers_.push_back(static_cast<std::uint32_t>(thread.events.size()));
  thread.events.push_back(size());
  events_.push_back(event);
  actions_.push_back(thread.actions);
  nth_.push_back(nth);
}

// A region lasts from the event that takes a lock, where the thread has none, to the event that gives the last one
// back.
void Observed::find_regions() {
  before_region_.resize(events_.size());
  behind_region_.resize(events_.size());
  for (const Thread& thread : threads_) {
    const std::size_t count = thread.events.size();
    const auto held = [&](std::size_t i) { return !order_.locks_held(id(thread.events[i])).empty(); };
    for (std::size_t i = 0; i < count;) {
      const At at = thread.events[i];
      before_region_[at] = actions_[at] - std::min(actions_[at], 1u);
      behind_region_[at] = actions_[at];
      std::size_t last = i;
      while (last + 1 < count && held(last + 1)) last++;
      if (last > i) {  // event i took a lock, event `last` gave it back, or is the thread's last one
        for (std::size_t k = i; k <= last; k++) {
          before_region_[thread.events[k]] = before_region_[at];
          behind_region_[thread.events[k]] = actions_[thread.events[last]];
        }
      }
      i = last + 1;
    }
  }
}

At Observed::same(const Observed& other, At theirs) const {
  const HeddleEvent& event = other.events_[theirs];
  if (event.thread >= other.head_.threads.size()) return kNowhere;
  const auto thread = by_name_.find(other.head_.threads[event.thread].name);
  if (thread == by_name_.end()) return kNowhere;
  const auto found = by_key_.find({thread->second, event.site, event.kind, other.nth_[theirs]});
  return found == by_key_.end() ? kNowhere : found->second;
}

}  // namespace heddle
