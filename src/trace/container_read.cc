// Rules of this file: nothing that the file says is believed before its checksum is right, and nothing is allocated
// from a number of the file before that number is within the limits of format.h, checksum or not (hostile files have
// right ones).
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "src/seal/seal.h"
#include "src/trace/byte_source.h"
#include "src/trace/container.h"
#include "src/trace/event_codec.h"
#include "src/trace/tables.h"

namespace heddle {

using format::BlockHeader;
using format::Codec;
using format::Layout;
using format::Section;

namespace {

constexpr int kMaxBadBlocks = 64;  // then the rest is given up: bounds the work on a hostile file

struct EventBlock {
  std::uint64_t offset;  // of the payload
  BlockHeader header;
};

std::uint32_t check_of(const BlockHeader& h) {
  return static_cast<std::uint32_t>(XXH64(&h, offsetof(BlockHeader, header_check), 0));
}

bool plausible(const BlockHeader& h) {
  return h.magic == format::kBlockMagic && h.header_check == check_of(h) && h.stored_size <= format::kMaxBlock &&
         h.raw_size <= format::kMaxBlock && h.codec <= static_cast<std::uint8_t>(Codec::Chunk);
}

bool is_events(const BlockHeader& h) { return h.section == static_cast<std::uint8_t>(Section::Events); }
bool is_chunk(const BlockHeader& h) { return h.codec == static_cast<std::uint8_t>(Codec::Chunk); }

/// Content of a block from its payload; false when it does not decompress to exactly raw_size bytes.
bool unpack(const BlockHeader& h, std::string_view payload, std::string& buffer, std::string_view& content) {
  content = payload;
  if (static_cast<Codec>(h.codec) == Codec::Chunk) return true;
  if (static_cast<Codec>(h.codec) == Codec::Stored) return h.raw_size == payload.size();
  // The frame's own size must agree before we allocate: raw_size is bounded, but a frame may claim anything.
  if (ZSTD_getFrameContentSize(payload.data(), payload.size()) != h.raw_size) return false;
  buffer.resize(h.raw_size);
  const std::size_t n = ZSTD_decompress(buffer.data(), buffer.size(), payload.data(), payload.size());
  content = buffer;
  return !ZSTD_isError(n) && n == h.raw_size;
}

}  // namespace

struct TraceReader::Impl {
  explicit Impl(ByteSource s)
      : source(std::move(s)),
        tables(format::kTablesFree +
               format::kTablesPerByte * std::min<std::uint64_t>(source.size(), format::kMaxBlock)) {}

  Status check_header(const std::string& name);
  Status scan(const std::string& name);
  bool next_block();
  void take(const BlockHeader& h, std::string_view payload);
  void take_events(const BlockHeader& h, std::uint64_t bytes);
  bool resync();
  void hash_block(const BlockHeader& h, std::string_view payload);
  void take_seal();
  void hurt(std::string what) {
    if (damage.empty()) damage = std::move(what);
  }

  ByteSource source;
  HeadDecoder tables;
  TraceHead head;
  TraceEnd end;
  bool ended = false, hole = false;
  std::string damage;
  std::vector<EventBlock> event_blocks;
  std::uint64_t events = 0, event_bytes = 0, intact_blocks = 0, at = sizeof(format::FileHeader);
  int bad_blocks = 0;
  std::string payload, content;
  Blake2b hash;                 // of all that was read, as long as it is intact
  std::optional<Digest> digest;  // of a whole file
  std::optional<Digest> seal;
};

Status TraceReader::Impl::check_header(const std::string& name) {
  format::FileHeader h{};
  const std::size_t n = source.read(0, &h, sizeof h);
  if (n < 8 || h.magic != format::kFileMagic) return error(fmt::format("{} is not a heddle trace", name));
  if (n < sizeof h) return error(fmt::format("{} is cut off inside its header: nothing can be read", name));
  if (h.check != XXH64(&h, offsetof(format::FileHeader, check), 0))
    return error(fmt::format("the header of {} is damaged", name));
  if (h.version > format::kVersion || h.flags != 0)
    return error(fmt::format("{} was written by a newer heddle (trace format {}, this one reads up to {})", name,
                             h.version, format::kVersion),
                 "update heddle");
  if (h.version == 0) return error(fmt::format("the header of {} is damaged", name));
  hash.update({reinterpret_cast<const char*>(&h), sizeof h});
  return {};
}

/// Handles the block at `at` and moves on. False at the end of what can be read.
bool TraceReader::Impl::next_block() {
  BlockHeader h{};
  const std::size_t n = source.read(at, &h, sizeof h);
  if (n < sizeof h || h.magic == 0) {  // cut, or preallocated and never reached
    hurt(fmt::format("the file ends after {} intact blocks, without its end mark", intact_blocks));
    return false;
  }
  if (!plausible(h)) {
    hurt(fmt::format("the file is damaged at byte {}", at));
    return resync();
  }
  std::uint64_t wanted = h.stored_size;
  if (is_chunk(h)) wanted = std::min<std::uint64_t>(h.check, h.stored_size);
  payload.resize(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, source.size() - at - sizeof h)));
  const std::size_t got = source.read(at + sizeof h, payload.data(), payload.size());
  if (got < wanted) hurt(fmt::format("the file is cut off at byte {}", source.size()));
  if (got < wanted && !is_chunk(h)) return false;
  payload.resize(got);
  const bool intact =
      is_chunk(h) ? h.check <= h.stored_size : h.check == XXH64(payload.data(), payload.size(), h.header_check);
  if (intact) {
    ++intact_blocks;
    hash_block(h, payload);
    take(h, payload);
  } else {
    hurt(fmt::format("the block at byte {} is damaged", at));
    if (is_events(h)) hole = true;
    if (++bad_blocks > kMaxBadBlocks) return false;
  }
  at += sizeof h + format::padded(h.stored_size);
  return !ended;
}

/// As the writer wrote it: padding is zero, and is not looked at elsewhere.
void TraceReader::Impl::hash_block(const BlockHeader& h, std::string_view bytes) {
  constexpr std::string_view kZeros("\0\0\0\0\0\0\0", 7);
  hash.update({reinterpret_cast<const char*>(&h), sizeof h});
  hash.update(bytes);
  hash.update(kZeros.substr(0, format::padded(h.stored_size) - h.stored_size));
}

/// Behind the end mark; a file without one is no less whole.
void TraceReader::Impl::take_seal() {
  BlockHeader h{};
  Digest found;
  if (source.read(at, &h, sizeof h) != sizeof h || !plausible(h) ||
      h.section != static_cast<std::uint8_t>(Section::Seal) || h.codec != static_cast<std::uint8_t>(Codec::Stored) ||
      h.stored_size != found.size() || source.read(at + sizeof h, found.data(), found.size()) != found.size())
    return;
  seal = found;
}

/// After a broken block header: the next place that carries a right one. A block has at most kMaxBlock bytes, so
/// nothing is gained by looking further.
bool TraceReader::Impl::resync() {
  if (++bad_blocks > kMaxBadBlocks) return false;
  hole = true;  // the lost block may have held events
  std::string window(static_cast<std::size_t>(std::min<std::uint64_t>(1u << 20, source.size())), '\0');
  const std::uint64_t limit = at + format::kMaxBlock + 2 * sizeof(BlockHeader);
  for (std::uint64_t base = at + 8; base < limit;) {
    const std::size_t n = source.read(base, window.data(), window.size());
    if (n < sizeof(BlockHeader)) return false;
    std::size_t i = 0;
    for (; i + sizeof(BlockHeader) <= n; i += 8) {
      BlockHeader h;
      std::memcpy(&h, window.data() + i, sizeof h);
      if (!plausible(h)) continue;
      at = base + i;
      return true;
    }
    base += i;
  }
  return false;
}

void TraceReader::Impl::take(const BlockHeader& h, std::string_view bytes) {
  if (is_events(h)) return take_events(h, bytes.size());
  std::string_view plain;
  const auto section = static_cast<Section>(h.section);
  bool good = tables.room_for(h.raw_size) && unpack(h, bytes, content, plain);
  if (good && section == Section::End) {
    good = ended = tables.end(plain, end);
    if (ended && end.blocks != intact_blocks - 1) hurt("blocks are missing in the file");
  } else if (good) {
    good = tables.add(section, plain);
  }
  if (!good) hurt(fmt::format("the table at byte {} cannot be read", at));
}

void TraceReader::Impl::take_events(const BlockHeader& h, std::uint64_t bytes) {
  const bool rows = is_chunk(h) || h.layout == static_cast<std::uint16_t>(Layout::Rows);
  EventBlock block{at + sizeof h, h};
  if (is_chunk(h)) {
    block.header.stored_size = block.header.raw_size =
        static_cast<std::uint32_t>(bytes / sizeof(HeddleEvent) * sizeof(HeddleEvent));
    block.header.count = block.header.raw_size / sizeof(HeddleEvent);
    if (block.header.count == 0) return;
  }
  const std::uint32_t count = block.header.count;
  const bool sane = count > 0 && (rows ? std::uint64_t{count} * sizeof(HeddleEvent) == block.header.raw_size
                                       : count <= format::kEventsPerBlock && h.raw_size <= format::kMaxEventsBlock &&
                                             h.layout == static_cast<std::uint16_t>(Layout::Columns));
  if (!sane || h.first != events) {  // events after a hole would tell a story that did not happen
    hole = true;
    hurt(fmt::format("events are missing after the first {}", events));
  }
  if (hole) return;
  event_blocks.push_back(block);
  events += count;
  event_bytes += sizeof h + format::padded(block.header.stored_size);
}

Status TraceReader::Impl::scan(const std::string& name) {
  if (Status s = check_header(name); !s) return s;
  while (next_block()) {
  }
  if (intact_blocks == 0) return error(fmt::format("{} has no intact block: nothing can be read", name));
  if (ended) take_seal();
  if (ended && end.events != events) hurt(fmt::format("events are missing after the first {}", events));
  head = tables.take();
  head.complete = ended && end.complete && damage.empty();
  if (ended && damage.empty()) digest = hash.finish();
  return {};
}

Result<TraceReader> TraceReader::open(const std::filesystem::path& path) {
  auto source = ByteSource::open(path);
  if (!source) return std::unexpected(source.error());
  auto impl = std::make_unique<Impl>(std::move(*source));
  if (Status s = impl->scan(path.string()); !s) return std::unexpected(s.error());
  return TraceReader(std::move(impl));
}

Result<TraceReader> TraceReader::parse(std::span<const std::byte> bytes) {
  auto impl = std::make_unique<Impl>(ByteSource(bytes));
  if (Status s = impl->scan("the input"); !s) return std::unexpected(s.error());
  return TraceReader(std::move(impl));
}

TraceReader::TraceReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader& TraceReader::operator=(TraceReader&&) noexcept = default;
TraceReader::~TraceReader() = default;

const TraceHead& TraceReader::head() const { return impl_->head; }
void TraceReader::change_head(const std::function<void(TraceHead&)>& change) { change(impl_->head); }
std::uint64_t TraceReader::event_count() const { return impl_->events; }
std::uint64_t TraceReader::event_bytes() const { return impl_->event_bytes; }
std::uint64_t TraceReader::file_bytes() const { return impl_->source.size(); }
const std::string& TraceReader::damage() const { return impl_->damage; }
bool TraceReader::has_seal() const { return impl_->seal.has_value(); }
bool TraceReader::sealed_with(const SealKey& key) const {
  return impl_->seal && impl_->digest && equal_seals(*impl_->seal, seal_of_trace(key, *impl_->digest));
}

Status TraceReader::for_each_block(const std::function<bool(std::span<const HeddleEvent>)>& visit) const {
  std::string payload, content;
  std::vector<HeddleEvent> events;
  for (const EventBlock& block : impl_->event_blocks) {
    const BlockHeader& h = block.header;
    payload.resize(h.stored_size);
    std::string_view plain;
    bool good = impl_->source.read(block.offset, payload.data(), payload.size()) == payload.size() &&
                unpack(h, payload, content, plain);
    if (good && plain.size() == std::uint64_t{h.count} * sizeof(HeddleEvent) &&
        (is_chunk(h) || h.layout == static_cast<std::uint16_t>(Layout::Rows))) {
      events.resize(h.count);
      std::memcpy(events.data(), plain.data(), plain.size());
    } else {
      good = good && decode_events(plain, h.count, events);
    }
    if (!good) return error(fmt::format("the events from number {} on cannot be decoded", h.first));
    if (!visit(events)) break;
  }
  return {};
}

}  // namespace heddle
