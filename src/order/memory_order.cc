#include "src/order/memory_order.h"

#include <algorithm>

#include "src/order/operation.h"

namespace heddle {

void MemoryOrder::conflict(EventRef first, EventRef second, ConflictKind kind) {
  const Pair pair{first, second, kind};  // once for all bytes that they have in common
  if (std::find(pairs_.begin() + static_cast<std::ptrdiff_t>(of_event_), pairs_.end(), pair) == pairs_.end())
    pairs_.push_back(pair);
}

void MemoryOrder::read(EventRef event, std::uint64_t first, std::uint64_t last) {
  std::vector<Part>& parts = parts_[event.thread];
  std::size_t left = kMostParts;
  memory_.each(first, last, [&](std::uint64_t from, std::uint64_t to, Bytes& bytes) {
    auto mine = std::ranges::find(bytes.reads, event.thread, &EventRef::thread);
    if (bytes.written && bytes.write.thread != event.thread && mine == bytes.reads.end())
      conflict(bytes.write, event, ConflictKind::kWriteRead);
    if (mine == bytes.reads.end())
      bytes.reads.push_back(event);
    else
      *mine = event;
    if (!bytes.written || left == 0) return;
    Part* before = left < kMostParts ? &parts.back() : nullptr;
    if (before && before->write == bytes.write && before->offset + before->size == from - first) {
      before->size += to - from + 1;
    } else {
      parts.push_back({event.n, bytes.write, from - first, to - from + 1});
      left--;
    }
  });
}

void MemoryOrder::write(EventRef event, std::uint64_t first, std::uint64_t last) {
  memory_.each(first, last, [&](std::uint64_t, std::uint64_t, const Bytes& bytes) {
    if (bytes.written && bytes.write.thread != event.thread)
      conflict(bytes.write, event, ConflictKind::kWriteWrite);
    for (EventRef read : bytes.reads)
      if (read.thread != event.thread) conflict(read, event, ConflictKind::kReadWrite);
  });
  memory_.assign(first, last, {event, true, {}});
}

void MemoryOrder::execute(const HeddleEvent& event, std::uint32_t n) {
  const std::optional<ByteRange> at = memory_of(event);
  if (!at) return;
  if (event.thread >= parts_.size()) parts_.resize(event.thread + 1u);
  of_event_ = pairs_.size();
  const EventRef self{event.thread, n};
  if (reads_memory(event)) read(self, at->first, at->last);
  if (writes_memory(event)) write(self, at->first, at->last);
  if (heddle_event_class(event.kind) == HEDDLE_C_ALLOCATE) memory_.erase(at->first, at->last);
}

std::vector<ReadPart> MemoryOrder::reads_from(EventId read) const {
  std::vector<ReadPart> out;
  if (read.thread >= parts_.size()) return out;
  const auto [begin, end] = std::ranges::equal_range(parts_[read.thread], read.n, {}, &Part::n);
  for (auto it = begin; it != end; ++it) out.push_back({it->offset, it->size, it->write.id()});
  return out;
}

}  // namespace heddle
