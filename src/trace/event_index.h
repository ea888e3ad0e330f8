// What each block of events holds, so that a question about one step reads one or two blocks of a long trace.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "abi/events.h"
#include "src/trace/bytes.h"

namespace heddle {

/// An event of a run, the same in every execution of one schedule: the n-th of its thread, from 0.
struct EventId {
  std::uint16_t thread = 0;
  std::uint64_t n = 0;
  friend auto operator<=>(const EventId&, const EventId&) = default;
};

/// A creation whose event does not name the new thread: threads are numbered as they are made.
inline bool makes_thread(const HeddleEvent& e) {
  return e.kind == HEDDLE_EV_THREAD_CREATE && e.object == 0 && e.address == 0;
}

/// An event with its place in the trace.
struct PlacedEvent {
  HeddleEvent event;
  std::uint64_t position = 0;  // number in the trace, from 0
  std::uint64_t steps = 0;     // steps of the schedule before it; of a step: its number, from 0
  std::uint64_t n = 0;         // number in its thread, from 0
  std::uint64_t made = 0;      // makes_thread() before it
};

class EventIndex {
 public:
  /// Counts events of the block that has begun; end_block() begins the next one.
  void add(std::span<const HeddleEvent> events);
  void end_block();

  std::size_t blocks() const { return starts_.size() - 1; }
  std::uint64_t steps() const { return starts_.back().steps; }
  /// Of the first event of a block, and how many makes_thread() before it.
  std::uint64_t first_event(std::size_t block) const { return starts_[block].events; }
  std::uint64_t threads_made_before(std::size_t block) const { return starts_[block].made; }
  /// Events of `thread` in all blocks.
  std::uint64_t events_of(std::uint16_t thread) const;

  /// The block with the n-th step, or with the n-th event of a thread; blocks(): there are not so many.
  std::size_t block_of_step(std::uint64_t step) const;
  std::size_t block_of(EventId id) const;
  /// The nearest block that has events of `thread`: at or behind `block`, at or before it; blocks(): none.
  std::size_t next_with(std::uint16_t thread, std::size_t block) const;
  std::size_t last_with(std::uint16_t thread, std::size_t block) const;
  /// The events of a block with their places; none if they are not what the index says of that block.
  std::vector<PlacedEvent> place(std::size_t block, std::span<const HeddleEvent> events) const;

  /// Gives the stored form of each block to `take`, in order; stops when that returns false.
  void encode(const std::function<bool(const ByteWriter& record)>& take) const;
  /// Appends the blocks that `in` describes. False: it is no index, or needs more memory than there is.
  bool decode(ByteReader& in);
  /// Whether block i has counts[i] events, for all blocks.
  bool fits(std::span<const std::uint32_t> counts) const;

 private:
  struct Start {  // of a block: what is before it
    std::uint64_t events = 0, steps = 0, made = 0;
  };
  struct Part {  // of a thread's events
    std::uint32_t block;
    std::uint64_t first;  // number of the first one
  };
  struct Thread {
    std::vector<Part> parts;
    std::uint64_t events = 0;
  };
  void append(std::uint32_t steps, std::uint32_t made, const std::map<std::uint16_t, std::uint32_t>& counts);
  const Part* part_at(std::uint16_t thread, std::size_t block) const;

  std::vector<Start> starts_{1};  // and the end
  std::map<std::uint16_t, Thread> threads_;
  // Of the block that has begun.
  std::map<std::uint16_t, std::uint32_t> counts_;
  std::uint32_t steps_ = 0, made_ = 0;
};

}  // namespace heddle
