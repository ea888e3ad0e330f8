// Rules of this file: nothing that the file says is believed before its checksum is right, and nothing is allocated
// from a number of the file before that number is within the limits of format.h, checksum or not (hostile files have
// right ones).
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
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
         h.raw_size <= format::kMaxBlock && h.codec <= static_cast<std::uint8_t>(Codec::Zstd);
}

bool is_payloads(const BlockHeader& h) { return h.section == static_cast<std::uint8_t>(Section::Payloads); }
bool is_events(const BlockHeader& h) { return h.section == static_cast<std::uint8_t>(Section::Events); }

struct Buffers {  // of one block, kept for the next one
  std::string stored, plain;
  std::vector<HeddleEvent> events;
};

/// Content of a block from its payload; false when it does not decompress to exactly raw_size bytes.
bool unpack(const BlockHeader& h, std::string_view payload, std::string& buffer, std::string_view& content) {
  content = payload;
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
  void take_events(const BlockHeader& h);
  void take_payloads(const BlockHeader& h);
  Result<const std::vector<Payload>*> payloads(std::size_t block);
  bool resync();
  Status decode(std::size_t block, Buffers& buffers) const;
  Result<const EventIndex*> index();
  Result<std::vector<PlacedEvent>> placed(std::size_t block);  // behind index()
  void hash_block(const BlockHeader& h, std::string_view payload);
  void take_seal();
  void hurt(std::string what) {
    if (damage.empty()) damage = std::move(what);
  }

  ByteSource source;
  HeadDecoder tables;
  TraceHead head;
  EventIndex stored_index;
  bool index_is_known = false;
  TraceEnd end;
  bool ended = false, hole = false;
  std::string damage;
  std::vector<EventBlock> event_blocks, payload_blocks;
  std::optional<std::size_t> decoded_block;  // of payload_blocks
  std::vector<Payload> decoded;              // what is in it
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
  payload.resize(static_cast<std::size_t>(std::min<std::uint64_t>(h.stored_size, source.size() - at - sizeof h)));
  if (source.read(at + sizeof h, payload.data(), payload.size()) < h.stored_size) {
    hurt(fmt::format("the file is cut off at byte {}", source.size()));
    return false;
  }
  if (h.check == XXH64(payload.data(), payload.size(), h.header_check)) {
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
  if (is_events(h)) return take_events(h);
  if (is_payloads(h)) return take_payloads(h);
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

void TraceReader::Impl::take_events(const BlockHeader& h) {
  const bool sane = h.count > 0 && h.count <= format::kEventsPerBlock && h.raw_size <= format::kMaxEventsBlock &&
                    h.layout == static_cast<std::uint16_t>(Layout::Columns);
  if (!sane || h.first != events) {  // events after a hole would tell a story that did not happen
    hole = true;
    hurt(fmt::format("events are missing after the first {}", events));
  }
  if (hole) return;
  event_blocks.push_back({at + sizeof h, h});
  events += h.count;
  event_bytes += sizeof h + format::padded(h.stored_size);
}

/// They stand behind the events, in their order.
void TraceReader::Impl::take_payloads(const BlockHeader& h) {
  const bool in_order = payload_blocks.empty() || payload_blocks.back().header.first < h.first;
  if (h.count > 0 && h.raw_size <= format::kMaxPayloadsBlock && in_order)
    payload_blocks.push_back({at + sizeof h, h});
  else
    hurt(fmt::format("the bytes of ranges at byte {} cannot be read", at));
}

Result<const std::vector<Payload>*> TraceReader::Impl::payloads(std::size_t block) {
  if (decoded_block == block) return &decoded;
  decoded_block.reset();
  const EventBlock& b = payload_blocks[block];
  const std::uint64_t end = block + 1 < payload_blocks.size() ? payload_blocks[block + 1].header.first : ~0ull;
  std::string stored(b.header.stored_size, '\0'), buffer;
  std::string_view plain;
  if (source.read(b.offset, stored.data(), stored.size()) != stored.size() ||
      !unpack(b.header, stored, buffer, plain) || !decode_payloads(plain, b.header.first, b.header.count, end, decoded))
    return error(fmt::format("the bytes of ranges from event {} on cannot be decoded", b.header.first));
  decoded_block = block;
  return &decoded;
}

Status TraceReader::Impl::scan(const std::string& name) {
  if (Status s = check_header(name); !s) return s;
  while (next_block()) {
  }
  if (intact_blocks == 0) return error(fmt::format("{} has no intact block: nothing can be read", name));
  if (ended) take_seal();
  if (ended && end.events != events) hurt(fmt::format("events are missing after the first {}", events));
  head = tables.take();
  stored_index = tables.take_index();
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

Status TraceReader::Impl::decode(std::size_t block, Buffers& to) const {
  const EventBlock& b = event_blocks[block];
  to.stored.resize(b.header.stored_size);
  std::string_view plain;
  const bool good = source.read(b.offset, to.stored.data(), to.stored.size()) == to.stored.size() &&
                    unpack(b.header, to.stored, to.plain, plain) && decode_events(plain, b.header.count, to.events);
  return good ? Status{} : error(fmt::format("the events from number {} on cannot be decoded", b.header.first));
}

/// That of the file if it can be true, else one of our own making.
Result<const EventIndex*> TraceReader::Impl::index() {
  if (index_is_known) return &stored_index;
  std::vector<std::uint32_t> counts;
  for (const EventBlock& block : event_blocks) counts.push_back(block.header.count);
  if (!stored_index.fits(counts)) {
    stored_index = {};
    Buffers buffers;
    for (std::size_t i = 0; i < event_blocks.size(); i++) {
      if (Status s = decode(i, buffers); !s) return std::unexpected(s.error());
      stored_index.add(buffers.events);
      stored_index.end_block();
    }
  }
  index_is_known = true;
  return &stored_index;
}

Result<std::vector<PlacedEvent>> TraceReader::Impl::placed(std::size_t block) {
  Buffers buffers;
  if (Status s = decode(block, buffers); !s) return std::unexpected(s.error());
  std::vector<PlacedEvent> out = stored_index.place(block, buffers.events);
  if (out.size() != buffers.events.size())
    return error(fmt::format("the index of the trace is wrong: the events from number {} on are others",
                             event_blocks[block].header.first));
  return out;
}

Status TraceReader::for_each_block(const std::function<bool(std::span<const HeddleEvent>)>& visit) const {
  Buffers buffers;
  for (std::size_t i = 0; i < impl_->event_blocks.size(); i++) {
    if (Status s = impl_->decode(i, buffers); !s) return s;
    if (!visit(buffers.events)) break;
  }
  return {};
}

Status TraceReader::for_each_block_from(
    std::uint64_t first,
    const std::function<bool(std::uint64_t, std::uint64_t, std::span<const HeddleEvent>)>& visit) const {
  const auto behind =
      std::ranges::upper_bound(impl_->event_blocks, first, {}, [](const EventBlock& b) { return b.header.first; });
  std::size_t block =
      behind == impl_->event_blocks.begin() ? 0 : static_cast<std::size_t>(behind - impl_->event_blocks.begin()) - 1;
  std::uint64_t made = 0;
  if (block > 0) {
    auto index = impl_->index();
    if (!index) return std::unexpected(index.error());
    made = (*index)->threads_made_before(block);
  }
  Buffers buffers;
  for (; block < impl_->event_blocks.size(); block++) {
    if (Status s = impl_->decode(block, buffers); !s) return s;
    if (!visit(impl_->event_blocks[block].header.first, made, buffers.events)) break;
    made += static_cast<std::uint64_t>(std::ranges::count_if(buffers.events, makes_thread));
  }
  return {};
}

Result<std::vector<PlacedEvent>> TraceReader::events_around(std::uint64_t step, std::optional<std::uint16_t> thread,
                                                            std::size_t before, std::size_t after) const {
  auto known = impl_->index();
  if (!known) return std::unexpected(known.error());
  const EventIndex& index = **known;
  const std::size_t middle = index.block_of_step(step);
  if (middle == index.blocks())
    return error(index.steps() == 0
                     ? "the trace has no steps"
                     : fmt::format("the trace has no step {}: its last one is {}", step, index.steps() - 1));
  const auto wanted = [&](const PlacedEvent& e) { return !thread || e.event.thread == *thread; };
  auto block = impl_->placed(middle);
  if (!block) return std::unexpected(block.error());
  // place() has counted the steps of this block, so it has that one.
  const std::ptrdiff_t at = std::ranges::find_if(*block, [&](const PlacedEvent& e) {
    return e.steps == step && (e.event.flags & HEDDLE_EF_POINT);
  }) - block->begin();
  std::deque<PlacedEvent> out;
  for (auto e = block->begin() + at; e != block->begin() && out.size() < before;)
    if (wanted(*--e)) out.push_front(*e);
  std::size_t found = 0;
  for (auto e = block->begin() + at; e != block->end() && found < after; ++e)
    if (wanted(*e)) out.push_back(*e), found++;
  const std::size_t before_found = out.size() - found;
  std::size_t missing = before - before_found;
  for (std::size_t i = middle; i > 0 && missing > 0;) {
    i = thread ? index.last_with(*thread, i - 1) : i - 1;
    if (i == index.blocks()) break;
    if (block = impl_->placed(i); !block) return std::unexpected(block.error());
    for (auto e = block->end(); e != block->begin() && missing > 0;)
      if (wanted(*--e)) out.push_front(*e), missing--;
  }
  for (std::size_t i = middle + 1; i < index.blocks() && found < after; i++) {
    if (thread) i = index.next_with(*thread, i);
    if (i == index.blocks()) break;
    if (block = impl_->placed(i); !block) return std::unexpected(block.error());
    for (auto e = block->begin(); e != block->end() && found < after; ++e)
      if (wanted(*e)) out.push_back(*e), found++;
  }
  return std::vector<PlacedEvent>(out.begin(), out.end());
}

Status TraceReader::for_each_payload(const std::function<bool(const Payload&)>& visit) const {
  for (std::size_t i = 0; i < impl_->payload_blocks.size(); i++) {
    auto block = impl_->payloads(i);
    if (!block) return std::unexpected(block.error());
    for (const Payload& payload : **block)
      if (!visit(payload)) return {};
  }
  return {};
}

Result<std::optional<Payload>> TraceReader::payload(std::uint64_t event) const {
  const auto& blocks = impl_->payload_blocks;
  const auto behind = std::ranges::upper_bound(blocks, event, {}, [](const EventBlock& b) { return b.header.first; });
  if (behind == blocks.begin()) return std::nullopt;
  auto block = impl_->payloads(static_cast<std::size_t>(behind - blocks.begin()) - 1);
  if (!block) return std::unexpected(block.error());
  const auto found = std::ranges::lower_bound(**block, event, {}, &Payload::event);
  if (found == (*block)->end() || found->event != event) return std::nullopt;
  return *found;
}

Result<PlacedEvent> TraceReader::event(EventId id) const {
  auto index = impl_->index();
  if (!index) return std::unexpected(index.error());
  const std::size_t at = (*index)->block_of(id);
  if (at == (*index)->blocks())
    return error(fmt::format("thread number {} has {} events: there is no event {}", id.thread,
                             (*index)->events_of(id.thread), id.n));
  auto block = impl_->placed(at);
  if (!block) return std::unexpected(block.error());
  return *std::ranges::find_if(*block,
                               [&](const PlacedEvent& e) { return e.event.thread == id.thread && e.n == id.n; });
}

}  // namespace heddle
