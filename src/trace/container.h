// The trace file. Versioned container, little-endian, valid from its first byte: a file header, then blocks
// {magic, section, codec (raw|zstd), stored size, raw size, xxh64 of the stored bytes}; readers take everything up to the
// last intact block and say whether the end is there. All input is untrusted: bounded sizes, no failed CHECK, no crash.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "src/result/result.h"
#include "src/trace/trace.h"

namespace heddle {

/// Writes a trace; the file is valid (and `complete` false) after every call. Ends with finish(). Not thread-safe.
class TraceWriter {
 public:
  static Result<TraceWriter> create(const std::filesystem::path& path);
  TraceWriter(TraceWriter&&) noexcept;
  TraceWriter& operator=(TraceWriter&&) noexcept;
  ~TraceWriter();
  /// Events in schedule order; may be called many times; memory use is bounded by one block.
  Status append(std::span<const HeddleEvent> events);
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
  /// Reads all tables, not the events. Errors: not a trace, a newer version, no intact block.
  static Result<TraceReader> open(const std::filesystem::path& path);
  /// The same on bytes in memory (fuzzing, tests).
  static Result<TraceReader> parse(std::span<const std::byte> bytes);
  TraceReader(TraceReader&&) noexcept;
  TraceReader& operator=(TraceReader&&) noexcept;
  ~TraceReader();
  const TraceHead& head() const;
  /// Calls `visit` with consecutive blocks of events, in order; stops early when it returns false. Memory is bounded by one block.
  Status for_each_block(const std::function<bool(std::span<const HeddleEvent>)>& visit) const;
  std::uint64_t event_count() const;  // intact events in the file

 private:
  struct Impl;
  explicit TraceReader(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle
