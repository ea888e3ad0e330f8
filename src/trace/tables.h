// The tables of a TraceHead as bytes and back. Encoding never fails; decoding takes untrusted bytes.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "src/result/result.h"
#include "src/trace/bytes.h"
#include "src/trace/event_index.h"
#include "src/trace/format.h"
#include "src/trace/trace.h"

namespace heddle {

/// What the END block says.
struct TraceEnd {
  std::uint64_t events = 0, blocks = 0;  // in this file, before the END block
  int wait_status = 0;
  bool complete = false, output_truncated = false;
  Totals totals;
  std::uint32_t unreplayable = 0;
};

/// Receives the content of one table block: its bytes (before compression) and how many records they hold.
using TableSink = std::function<Status(format::Section, std::string_view bytes, std::uint32_t records)>;

Status encode_meta(const Meta& meta, const TableSink& sink);
/// Everything but the events and the end, in the order a reader wants it.
Status encode_head(const TraceHead& head, const TableSink& sink);
Status encode_index(const EventIndex& index, const TableSink& sink);
std::string encode_end(const TraceEnd& end);

/// Collects table blocks in file order into a TraceHead.
class HeadDecoder {
 public:
  explicit HeadDecoder(std::uint64_t memory_limit) : budget_(memory_limit) {}
  /// Whether a block of that size may be added at all: asked before it is decompressed.
  bool room_for(std::uint64_t raw_size) const { return raw_size <= budget_.left(); }
  /// False when the bytes are no such table or the memory limit is reached; what was read before is kept.
  bool add(format::Section section, std::string_view bytes);
  bool end(std::string_view bytes, TraceEnd& end);
  TraceHead take();
  EventIndex take_index() { return std::move(index_); }

 private:
  bool meta(ByteReader& r);
  bool threads(ByteReader& r);
  bool sites(ByteReader& r);
  bool bitcode(ByteReader& r);
  bool frames(ByteReader& r);
  bool stacks(ByteReader& r);
  bool objects(ByteReader& r);
  bool schedule(ByteReader& r);
  bool races(ByteReader& r);
  bool notes(ByteReader& r);
  bool failure(ByteReader& r);
  bool bytes(std::string& to, std::string_view bytes);
  Frame frame(ByteReader& r);
  Stack stack(ByteReader& r);
  RaceAccess race_access(ByteReader& r);

  Budget budget_;
  TraceHead head_;
  EventIndex index_;
  bool has_unreplayable_ = false;  // said in numbers
  std::vector<Frame> frames_;  // referred to by index + 1
};

}  // namespace heddle
