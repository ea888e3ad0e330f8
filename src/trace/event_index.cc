#include "src/trace/event_index.h"

#include <algorithm>

#include "src/trace/format.h"

namespace heddle {

void EventIndex::add(std::span<const HeddleEvent> events) {
  std::uint32_t steps = 0, made = 0;
  for (auto e = events.begin(); e != events.end();) {
    const auto first = e;
    for (; e != events.end() && e->thread == first->thread; ++e) {
      steps += (e->flags & HEDDLE_EF_POINT) != 0;
      made += makes_thread(*e);
    }
    counts_[first->thread] += static_cast<std::uint32_t>(e - first);
  }
  steps_ += steps;
  made_ += made;
}

void EventIndex::end_block() {
  append(steps_, made_, counts_);
  counts_.clear();
  steps_ = made_ = 0;
}

void EventIndex::append(std::uint32_t steps, std::uint32_t made, const std::map<std::uint16_t, std::uint32_t>& counts) {
  const auto block = static_cast<std::uint32_t>(blocks());
  std::uint64_t events = 0;
  for (const auto& [thread, count] : counts) {
    Thread& t = threads_[thread];
    t.parts.push_back({block, t.events});
    t.events += count;
    events += count;
  }
  const Start& last = starts_.back();
  starts_.push_back({last.events + events, last.steps + steps, last.made + made});
}

std::uint64_t EventIndex::events_of(std::uint16_t thread) const {
  const auto found = threads_.find(thread);
  return found == threads_.end() ? 0 : found->second.events;
}

std::size_t EventIndex::block_of_step(std::uint64_t step) const {
  // The first start with more steps before it is behind the block; blocks without a step are passed over.
  const auto behind = std::ranges::upper_bound(starts_, step, {}, &Start::steps);
  return behind == starts_.end() ? blocks() : static_cast<std::size_t>(behind - starts_.begin()) - 1;
}

std::size_t EventIndex::block_of(EventId id) const {
  if (id.n >= events_of(id.thread)) return blocks();
  const std::vector<Part>& parts = threads_.at(id.thread).parts;
  return std::prev(std::ranges::upper_bound(parts, id.n, {}, &Part::first))->block;
}

std::size_t EventIndex::next_with(std::uint16_t thread, std::size_t block) const {
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return blocks();
  const auto part = std::ranges::lower_bound(found->second.parts, block, {}, &Part::block);
  return part == found->second.parts.end() ? blocks() : part->block;
}

std::size_t EventIndex::last_with(std::uint16_t thread, std::size_t block) const {
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return blocks();
  const auto behind = std::ranges::upper_bound(found->second.parts, block, {}, &Part::block);
  return behind == found->second.parts.begin() ? blocks() : std::prev(behind)->block;
}

const EventIndex::Part* EventIndex::part_at(std::uint16_t thread, std::size_t block) const {
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return nullptr;
  const auto part = std::ranges::lower_bound(found->second.parts, block, {}, &Part::block);
  return part == found->second.parts.end() || part->block != block ? nullptr : &*part;
}

std::vector<PlacedEvent> EventIndex::place(std::size_t block, std::span<const HeddleEvent> events) const {
  std::vector<PlacedEvent> out;
  if (block >= blocks() || starts_[block + 1].events - starts_[block].events != events.size()) return out;
  std::map<std::uint16_t, std::uint64_t> next;
  Start at = starts_[block];
  out.reserve(events.size());
  for (const HeddleEvent& e : events) {
    auto [n, is_new] = next.try_emplace(e.thread, 0);
    if (is_new) {
      const Part* part = part_at(e.thread, block);
      if (!part) return {};
      n->second = part->first;
    }
    out.push_back({e, at.events++, at.steps, n->second++, at.made});
    at.steps += (e.flags & HEDDLE_EF_POINT) != 0;
    at.made += makes_thread(e);
  }
  if (at.steps != starts_[block + 1].steps || at.made != starts_[block + 1].made) return {};
  for (const auto& [thread, n] : next) {  // as many as it says: else later numbers would be wrong
    const Part* following = part_at(thread, next_with(thread, block + 1));
    if (n != (following ? following->first : events_of(thread))) return {};
  }
  return out;
}

void EventIndex::encode(const std::function<bool(const ByteWriter& record)>& take) const {
  std::vector<std::vector<std::pair<std::uint16_t, std::uint64_t>>> counts(blocks());
  for (const auto& [thread, t] : threads_)
    for (std::size_t i = 0; i < t.parts.size(); i++) {
      const std::uint64_t end = i + 1 < t.parts.size() ? t.parts[i + 1].first : t.events;
      counts[t.parts[i].block].emplace_back(thread, end - t.parts[i].first);
    }
  ByteWriter record;
  for (std::size_t i = 0; i < blocks(); i++) {
    record.clear();
    record.varint(starts_[i + 1].steps - starts_[i].steps);
    record.varint(starts_[i + 1].made - starts_[i].made);
    record.varint(counts[i].size());
    for (const auto& [thread, count] : counts[i]) {
      record.varint(thread);
      record.varint(count);
    }
    if (!take(record)) return;
  }
}

bool EventIndex::decode(ByteReader& in) {
  constexpr std::size_t kMemory = sizeof(Start) + sizeof(Part) + 64;  // of a thread in a block, about
  while (!in.at_end()) {
    ByteReader record = in.record();
    if (in.bad() || !in.charge(sizeof(Start))) return false;
    const std::uint64_t steps = record.varint(), made = record.varint();
    std::map<std::uint16_t, std::uint32_t> counts;
    std::uint64_t events = 0;
    for (std::size_t n = record.count(kMemory); n > 0 && !record.bad(); --n) {
      const std::uint64_t thread = record.varint(), count = record.varint();
      if (thread > UINT16_MAX || count == 0 || count > format::kEventsPerBlock) return false;
      if (!counts.try_emplace(static_cast<std::uint16_t>(thread), static_cast<std::uint32_t>(count)).second)
        return false;
      events += count;
    }
    if (record.bad() || events > format::kEventsPerBlock || steps > events || made > events) return false;
    append(static_cast<std::uint32_t>(steps), static_cast<std::uint32_t>(made), counts);
  }
  return !in.bad();
}

bool EventIndex::fits(std::span<const std::uint32_t> counts) const {
  if (counts.size() != blocks()) return false;
  for (std::size_t i = 0; i < counts.size(); i++)
    if (starts_[i + 1].events - starts_[i].events != counts[i]) return false;
  return true;
}

}  // namespace heddle
