// The trace file. Versioned container, little-endian, valid from its first byte: a file header, then checksummed blocks
// (docs/trace-format.md, format.h); readers take every intact table and the events up to the first damage, and say
// whether the end is there. All input is untrusted: bounded sizes, no failed CHECK, no crash.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "src/result/result.h"
#include "src/seal/key.h"
#include "src/trace/event_index.h"
#include "src/trace/payloads.h"
#include "src/trace/trace.h"

namespace heddle {

/// Writes a trace; the file is valid (and `complete` false) after every call. Ends with finish(); destroyed without it,
/// leaves nothing behind. After an Error every further call returns that Error. Not thread-safe.
class TraceWriter {
 public:
  /// With `key` the finished trace is sealed: whoever has the key can tell that it is unchanged (sealed_with()). The
  /// file is readable for this user alone.
  static Result<TraceWriter> create(const std::filesystem::path& path, const std::optional<SealKey>& key = {});
  TraceWriter(TraceWriter&&) noexcept;
  TraceWriter& operator=(TraceWriter&&) noexcept;
  ~TraceWriter();
  /// Optional, before the first event: a trace that is cut later still says which program it is of.
  Status begin(const Meta& meta);
  /// Events in schedule order; may be called many times; memory use is bounded by one block.
  Status append(std::span<const HeddleEvent> events);
  /// After the last event, once: the bytes of ranges, by ascending event.
  Status append(std::span<const Payload> payloads);
  /// Writes every table of `head` and the end mark, syncs, and renames a temporary file over `path` (never over a
  /// device or anything that is not a regular file). A full disk is an Error and leaves no half file behind.
  Status finish(const TraceHead& head);

 private:
  struct Impl;
  explicit TraceWriter(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

class TraceReader {
 public:
  /// Reads all tables and checks all blocks, but decodes no events. Errors: not a trace, a newer version, no intact
  /// block.
  static Result<TraceReader> open(const std::filesystem::path& path);
  /// The same on bytes in memory (fuzzing, tests); they are copied.
  static Result<TraceReader> parse(std::span<const std::byte> bytes);
  TraceReader(TraceReader&&) noexcept;
  TraceReader& operator=(TraceReader&&) noexcept;
  ~TraceReader();
  /// `complete` is false when anything of the file is missing.
  const TraceHead& head() const;
  /// For a view that shows something else than what the file has.
  void change_head(const std::function<void(TraceHead&)>& change);
  /// Calls `visit` with consecutive blocks of events, in order; stops early when it returns false. Memory is bounded by
  /// one block. Error: a block that carries a right checksum but no events (a hostile file), or a file that changed
  /// meanwhile.
  Status for_each_block(const std::function<bool(std::span<const HeddleEvent>)>& visit) const;
  /// From the block with event number `first` on; `visit` is told the number of the block's first event, and how many
  /// threads were made before it (makes_thread()).
  Status for_each_block_from(
      std::uint64_t first,
      const std::function<bool(std::uint64_t number, std::uint64_t made, std::span<const HeddleEvent>)>& visit) const;
  /// Of all threads or of `thread`: the last `before` events before the n-th step of the schedule (from 0), and the
  /// first `after` events from that step on. Reads the blocks that have them and no others; the first question to a
  /// trace without an index (cut off, or by an older heddle) reads all. Error: there is no such step.
  Result<std::vector<PlacedEvent>> events_around(std::uint64_t step, std::optional<std::uint16_t> thread,
                                                 std::size_t before, std::size_t after) const;
  /// Error: there is no such event.
  Result<PlacedEvent> event(EventId id) const;
  /// Calls `visit` with the bytes of all ranges, by ascending event; stops early when it returns false. Memory is
  /// bounded by one block. Error: a hostile file.
  Status for_each_payload(const std::function<bool(const Payload&)>& visit) const;
  /// Of the event at that position (PlacedEvent::position); nullopt: the trace does not have it.
  Result<std::optional<Payload>> payload(std::uint64_t event) const;
  std::uint64_t event_count() const;  // intact events in the file
  std::uint64_t event_bytes() const;  // what they take in the file, block headers included
  std::uint64_t file_bytes() const;
  /// Empty when every block up to the end mark is intact; else one sentence that says what is missing.
  const std::string& damage() const;
  /// Whether the trace is whole and carries the seal of `key` over everything that was read of it.
  bool sealed_with(const SealKey& key) const;
  bool has_seal() const;

 private:
  struct Impl;
  explicit TraceReader(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle
