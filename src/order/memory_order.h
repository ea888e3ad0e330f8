// Which write each read of a trace saw, and which accesses to the same bytes conflict.
#pragma once
#include <cstdint>
#include <vector>

#include "abi/events.h"
#include "src/order/byte_ranges.h"
#include "src/trace/event_index.h"

namespace heddle {

/// An event in little memory: events per thread are below 2^32.
struct EventRef {
  std::uint32_t n = 0;
  std::uint16_t thread = 0;
  EventRef() = default;
  EventRef(std::uint16_t of, std::uint32_t number) : n(number), thread(of) {}
  EventId id() const { return {thread, n}; }
  friend bool operator==(const EventRef&, const EventRef&) = default;
};

/// Some bytes of a read, and the write that they are from. free() counts as a write to the block.
struct ReadPart {
  std::uint64_t offset = 0, size = 0;  // in the bytes that the read reads
  EventId write;
  bool operator==(const ReadPart&) const = default;
};

enum class ConflictKind : std::uint8_t { kWriteRead, kReadWrite, kWriteWrite };
/// Two accesses of different threads to a common byte, at least one of them a write, in the order in which they were
/// executed.
struct Conflict {
  EventId first, second;
  ConflictKind kind;
  bool operator==(const Conflict&) const = default;
};

class MemoryOrder {
 public:
  static constexpr std::size_t kMostParts = 1024;

  /// In order; `n`: number of the event in its thread.
  void execute(const HeddleEvent& event, std::uint32_t n);

  /// By offset. Bytes that no event wrote, or not since they were allocated, are in no part. Of a read of a range that
  /// more than kMostParts writes filled, the first parts.
  std::vector<ReadPart> reads_from(EventId read) const;
  /// Neighbours: the pairs of which no third access says that they conflict. A read with the last write before it (the
  /// first read of its thread since then), a write with the last write and with the last read of each thread since
  /// then. Any other conflicting pair is joined by a chain of these and of the order of events of one thread.
  std::size_t conflicts() const { return pairs_.size(); }
  /// In the order of the later event.
  Conflict conflict(std::size_t i) const { return {pairs_[i].first.id(), pairs_[i].second.id(), pairs_[i].kind}; }

 private:
  struct Bytes {
    EventRef write;
    bool written = false;
    std::vector<EventRef> reads;  // since then, the last of each thread
  };
  struct Part {  // of the read with number `n`
    std::uint32_t n;
    EventRef write;
    std::uint64_t offset, size;
  };
  struct Pair {
    EventRef first, second;
    ConflictKind kind;
    bool operator==(const Pair&) const = default;
  };
  void read(EventRef event, std::uint64_t first, std::uint64_t last);
  void write(EventRef event, std::uint64_t first, std::uint64_t last);
  void conflict(EventRef first, EventRef second, ConflictKind kind);

  ByteRanges<Bytes> memory_;
  std::vector<std::vector<Part>> parts_;  // by thread, in order
  std::vector<Pair> pairs_;
  std::size_t of_event_ = 0;  // pairs before those of the event that is executed
};

}  // namespace heddle
