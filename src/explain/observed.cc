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
    return error(fmt::format("the trace has {} events; at most {} can be explained", trace.event_count(), kMostEvents),
                 "HEDDLE_OPTIONS=detail=points leaves out plain accesses");
  for (std::uint32_t i = 0; i < out.head_.threads.size(); i++) out.threads_[out.head_.threads[i].name] = i;
  std::unordered_map<Key, std::uint32_t, Hash> counts;
  Status read = trace.for_each_block([&](std::span<const HeddleEvent> events) {
    for (const HeddleEvent& event : events) {
      if (event.thread >= out.totals_.size()) out.totals_.resize(event.thread + 1u);
      if (event.flags & HEDDLE_EF_POINT) out.totals_[event.thread]++;
      const std::uint32_t nth = counts[{event.thread, event.site, event.kind, 0}]++;
      out.by_key_[{event.thread, event.site, event.kind, nth}] = static_cast<At>(out.events_.size());
      out.events_.push_back(event);
      out.actions_.push_back(out.totals_[event.thread]);
      out.nth_.push_back(nth);
    }
    return true;
  });
  if (!read) return std::unexpected(read.error());
  return out;
}

std::uint32_t Observed::thread_named(const std::string& name) const {
  const auto found = threads_.find(name);
  return found == threads_.end() ? ~0u : found->second;
}

At Observed::same(const Observed& other, At theirs) const {
  const HeddleEvent& event = other.events_[theirs];
  if (event.thread >= other.head_.threads.size()) return kNowhere;
  const std::uint32_t thread = thread_named(other.head_.threads[event.thread].name);
  const auto found = by_key_.find({thread, event.site, event.kind, other.nth_[theirs]});
  return found == by_key_.end() ? kNowhere : found->second;
}

}  // namespace heddle
