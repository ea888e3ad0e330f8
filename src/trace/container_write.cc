#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <utility>

#include "src/seal/seal.h"
#include "src/trace/block_queue.h"
#include "src/trace/container.h"
#include "src/trace/event_codec.h"
#include "src/trace/output_file.h"
#include "src/trace/tables.h"

namespace heddle {

using format::Codec;
using format::Section;

namespace {
// What a program read is its own data, megabytes of it, and whoever records waits: level 3 takes three times as long
// and saves 1 % (12 MB of text). Events: half as long again, and saves 2 % (4 million steps of a recording); level 1
// saves a quarter more time and needs 40 % more room.
constexpr int level_of(Section section) {
  return section == Section::Inputs ? 1 : section == Section::Events ? 2 : 3;
}

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
}  // namespace

struct TraceWriter::Impl {
  explicit Impl(OutputFile f) : file(std::move(f)), zstd(ZSTD_createCCtx()) {}

  Status keep(Status status) {
    if (!status && sticky) sticky = status;
    return sticky ? status : sticky;
  }
  Status header();
  Status write(std::string_view bytes);
  Status seal();
  Status block(Section section, std::string_view raw, std::uint64_t first, std::uint32_t count);
  std::string_view compressed(Section section, std::string_view raw);
  Status drain() { return queue ? queue->drain() : Status{}; }
  Status flush();
  Status table(Section section, std::string_view raw, std::uint32_t records, std::uint64_t first = 0);

  // Used by block(), perhaps on the queue's thread; by others only behind drain().
  OutputFile file;
  std::unique_ptr<ZSTD_CCtx, FreeContext> zstd;
  std::optional<SealKey> key;
  Blake2b hash;  // of all that was written
  std::uint64_t table_raw = 0, table_stored = 0;
  std::string squeezed, out;

  Status sticky;
  EventEncoder pending;
  EventIndex index;
  std::uint64_t events = 0, blocks = 0;
  std::string columns;
  std::optional<BlockQueue>
      queue;  // from the first full block of events on. Last: its thread uses the others, so it ends first
};

Status TraceWriter::Impl::header() {
  format::FileHeader h{format::kFileMagic, format::kVersion, 0, 0, 0};
  h.check = XXH64(&h, offsetof(format::FileHeader, check), 0);
  return write({reinterpret_cast<const char*>(&h), sizeof h});
}

Status TraceWriter::Impl::write(std::string_view bytes) {
  if (key) hash.update(bytes);
  return file.write(bytes);
}

Status TraceWriter::Impl::seal() {
  if (!key) return {};
  const Digest seal = seal_of_trace(*key, hash.finish());
  key.reset();
  return block(Section::Seal, {reinterpret_cast<const char*>(seal.data()), seal.size()}, 0, 1);
}

/// The zstd frame of `raw`, or an empty view when it should be stored as it is: no gain, or so small that a reader
/// would have to take it for a decompression bomb (gigabytes of zeros as input).
std::string_view TraceWriter::Impl::compressed(Section section, std::string_view raw) {
  squeezed.resize(ZSTD_compressBound(raw.size()));
  const std::size_t n =
      ZSTD_compressCCtx(zstd.get(), squeezed.data(), squeezed.size(), raw.data(), raw.size(), level_of(section));
  if (ZSTD_isError(n) || n >= raw.size()) return {};
  if (section != Section::Events && section != Section::Payloads) {
    const bool bomb =
        table_raw + raw.size() > format::kTablesFree / 4 + (table_stored + n) * (format::kTablesPerByte / 4);
    table_raw += raw.size();
    table_stored += bomb ? raw.size() : n;
    if (bomb) return {};
  }
  return {squeezed.data(), n};
}

Status TraceWriter::Impl::block(Section section, std::string_view raw, std::uint64_t first, std::uint32_t count) {
  const std::string_view small = compressed(section, raw);
  const std::string_view payload = small.empty() ? raw : small;
  format::BlockHeader h{};
  h.magic = format::kBlockMagic;
  h.section = static_cast<std::uint8_t>(section);
  h.codec = static_cast<std::uint8_t>(small.empty() ? Codec::Stored : Codec::Zstd);
  h.layout = static_cast<std::uint16_t>(format::Layout::Columns);
  h.stored_size = static_cast<std::uint32_t>(payload.size());
  h.raw_size = static_cast<std::uint32_t>(raw.size());
  h.first = first;
  h.count = count;
  h.header_check = static_cast<std::uint32_t>(XXH64(&h, offsetof(format::BlockHeader, header_check), 0));
  h.check = XXH64(payload.data(), payload.size(), h.header_check);
  out.assign(reinterpret_cast<const char*>(&h), sizeof h);
  out.append(payload);
  out.resize(sizeof h + format::padded(payload.size()));
  return write(out);
}

Status TraceWriter::Impl::table(Section section, std::string_view raw, std::uint32_t records, std::uint64_t first) {
  ++blocks;
  return queue ? queue->push({section, std::string(raw), first, records}) : block(section, raw, first, records);
}

Status TraceWriter::Impl::flush() {
  const std::uint32_t count = pending.count();
  if (count == 0) return {};
  if (!queue && count == format::kEventsPerBlock)  // more will come: most traces are smaller, and need no thread
    queue.emplace([this](const RawBlock& b) { return block(b.section, b.bytes, b.first, b.count); });
  columns.clear();
  pending.finish(columns);
  index.end_block();
  ++blocks;
  const std::uint64_t first = std::exchange(events, events + count);
  if (!queue) return block(Section::Events, columns, first, count);
  Status status = queue->push({Section::Events, std::move(columns), first, count});
  columns = queue->spare();
  return status;
}

Result<TraceWriter> TraceWriter::create(const std::filesystem::path& path, const std::optional<SealKey>& key) {
  auto file = OutputFile::create(path, FileMode::kPrivate);
  if (!file) return std::unexpected(file.error());
  auto impl = std::make_unique<Impl>(std::move(*file));
  impl->key = key;
  if (Status s = impl->header(); !s) return std::unexpected(s.error());
  return TraceWriter(std::move(impl));
}

TraceWriter::TraceWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter& TraceWriter::operator=(TraceWriter&&) noexcept = default;
TraceWriter::~TraceWriter() = default;

Status TraceWriter::begin(const Meta& meta) {
  if (!impl_->sticky) return impl_->sticky;
  return impl_->keep(encode_meta(
      meta, [this](Section s, std::string_view raw, std::uint32_t records) { return impl_->table(s, raw, records); }));
}

Status TraceWriter::append(std::span<const HeddleEvent> events) {
  if (!impl_->sticky) return impl_->sticky;
  while (!events.empty()) {
    const std::size_t n = std::min<std::size_t>(events.size(), format::kEventsPerBlock - impl_->pending.count());
    impl_->pending.add(events.first(n));
    impl_->index.add(events.first(n));
    events = events.subspan(n);
    if (impl_->pending.count() < format::kEventsPerBlock) break;
    if (Status s = impl_->keep(impl_->flush()); !s) return s;
  }
  return {};
}

Status TraceWriter::append(std::span<const Payload> payloads) {
  Impl& w = *impl_;
  if (!w.sticky) return w.sticky;
  if (Status s = w.keep(w.flush()); !s) return s;
  PayloadEncoder block;
  for (std::size_t i = 0; i < payloads.size(); i++) {
    block.add(payloads[i]);
    if (!block.full() && i + 1 < payloads.size()) continue;
    if (Status s = w.keep(w.table(Section::Payloads, block.bytes(), block.count(), block.first())); !s) return s;
    block.clear();
  }
  return {};
}

Status TraceWriter::finish(const TraceHead& head) {
  Impl& w = *impl_;
  if (!w.sticky) return w.sticky;
  if (Status s = w.keep(w.flush()); !s) return s;
  Status s = encode_head(head, [&](Section section, std::string_view raw, std::uint32_t records) {
    return w.table(section, raw, records);
  });
  if (s)
    s = encode_index(w.index, [&](Section section, std::string_view raw, std::uint32_t records) {
      return w.table(section, raw, records);
    });
  if (s) {
    const TraceEnd end{w.events,    w.blocks,         head.wait_status, head.complete, head.output_truncated,
                       head.totals, head.unreplayable};
    s = w.table(Section::End, encode_end(end), 1);
  }
  if (s) s = w.drain();
  if (s) s = w.seal();
  if (s) s = w.file.commit();
  // Anything later is a mistake of the caller, and must not write into a finished file.
  w.keep(s);
  if (s) w.sticky = error(fmt::format("{} is already finished", w.file.path().string()));
  return s;
}

}  // namespace heddle
