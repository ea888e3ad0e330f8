#include "src/trace/container.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "src/trace/bytes.h"
#include "src/trace/event_codec.h"
#include "src/trace/format.h"
#include "src/trace/random_trace.h"
#include "src/trace/temporary_folder.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

class Container : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryFolder::create("container");
    ASSERT_TRUE(made);
    made_ = std::move(*made);
    folder_ = made_.path();
  }
  fs::path file(const char* name) const { return folder_ / name; }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {})); }
  TemporaryFolder made_;
  fs::path folder_;
};

bool same(const HeddleEvent& a, const HeddleEvent& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

Status write_trace(const fs::path& path, const TraceHead& head, std::span<const HeddleEvent> events) {
  auto writer = TraceWriter::create(path);
  if (!writer) return std::unexpected(writer.error());
  if (Status s = writer->append(events); !s) return s;
  return writer->finish(head);
}

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<TraceReader> parse(std::string_view bytes) { return TraceReader::parse(std::as_bytes(std::span(bytes))); }

std::vector<HeddleEvent> events_of(const TraceReader& reader) {
  std::vector<HeddleEvent> events;
  EXPECT_TRUE(reader.for_each_block([&](std::span<const HeddleEvent> block) {
    events.insert(events.end(), block.begin(), block.end());
    return true;
  }));
  return events;
}

void expect_prefix(const std::vector<HeddleEvent>& part, const std::vector<HeddleEvent>& whole) {
  ASSERT_LE(part.size(), whole.size());
  for (std::size_t i = 0; i < part.size(); ++i) ASSERT_TRUE(same(part[i], whole[i])) << "event " << i;
}

std::string sample_bytes(const fs::path& scratch) {
  EXPECT_TRUE(write_trace(scratch, sample_head(), sample_events()));
  return bytes_of(scratch);
}

// Builds files by hand, with right checksums: what a hostile writer can do.
struct Forge {
  std::string bytes;
  explicit Forge(std::uint32_t version = format::kVersion, std::uint32_t flags = 0) {
    format::FileHeader h{format::kFileMagic, version, flags, 0, 0};
    h.check = XXH64(&h, offsetof(format::FileHeader, check), 0);
    bytes.assign(reinterpret_cast<const char*>(&h), sizeof h);
  }
  Forge& block(format::Section section, format::Codec codec, std::string payload, std::uint32_t raw_size,
               std::uint32_t count = 0, std::uint64_t first = 0, format::Layout layout = format::Layout::Columns) {
    format::BlockHeader h{format::kBlockMagic,
                          static_cast<std::uint8_t>(section),
                          static_cast<std::uint8_t>(codec),
                          static_cast<std::uint16_t>(layout),
                          static_cast<std::uint32_t>(payload.size()),
                          raw_size,
                          first,
                          count,
                          0,
                          0};
    h.header_check = static_cast<std::uint32_t>(XXH64(&h, offsetof(format::BlockHeader, header_check), 0));
    h.check = XXH64(payload.data(), payload.size(), h.header_check);
    return add(h, payload);
  }
  Forge& add(const format::BlockHeader& h, const std::string& payload) {
    bytes.append(reinterpret_cast<const char*>(&h), sizeof h).append(payload);
    bytes.resize(format::padded(bytes.size()));
    return *this;
  }
};

std::string zstd(const std::string& raw) {
  std::string out(ZSTD_compressBound(raw.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), raw.data(), raw.size(), 3));
  return out;
}

TEST_F(Container, WhatIsReadIsWhatWasWritten) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 rng(seed);
    const TraceHead head = random_head(rng);
    const std::vector<HeddleEvent> events = random_events(rng, rng() % 5000);
    ASSERT_TRUE(write_trace(file("t"), head, events));
    auto reader = TraceReader::open(file("t"));
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ(reader->head(), head) << "seed " << seed;
    EXPECT_EQ(reader->damage(), "");
    const auto read = events_of(*reader);
    EXPECT_EQ(read.size(), events.size());
    expect_prefix(read, events);
  }
}

TEST_F(Container, EventsAreReadInTheOrderOfManyAppends) {
  std::mt19937_64 rng(5);
  const std::vector<HeddleEvent> events = random_events(rng, 200'000);
  auto writer = TraceWriter::create(file("t"));
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->begin(sample_head().meta));
  for (std::size_t at = 0; at < events.size();) {
    const std::size_t n = std::min<std::size_t>(events.size() - at, rng() % 30'000);
    ASSERT_TRUE(writer->append(std::span(events).subspan(at, n)));
    at += n;
  }
  ASSERT_TRUE(writer->finish(sample_head()));
  EXPECT_FALSE(writer->append(events));
  auto reader = TraceReader::open(file("t"));
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->head(), sample_head());
  EXPECT_EQ(reader->event_count(), events.size());
  expect_prefix(events_of(*reader), events);
}

std::string encoded(EventEncoder& encoder, std::span<const HeddleEvent> events, std::size_t piece) {
  for (std::size_t at = 0; at < events.size(); at += piece)
    encoder.add(events.subspan(at, std::min(piece, events.size() - at)));
  EXPECT_EQ(encoder.count(), events.size());
  std::string out;
  encoder.finish(out);
  EXPECT_EQ(encoder.count(), 0u);
  return out;
}

// Two threads that take locks, as a recording logs them, with what comes in between: hand-overs, a preemption, a lock
// with a large number.
std::vector<HeddleEvent> steps_of_recording(std::uint32_t count) {
  std::vector<HeddleEvent> events(count);
  std::uint32_t x = 1;
  for (std::uint32_t i = 0; i < count; i++) {
    HeddleEvent& e = events[i];
    x = x * 1664525u + 1013904223u;
    e.thread = static_cast<std::uint16_t>(1 + (i / 64) % 2);
    e.kind = i % 2 ? HEDDLE_EV_MUTEX_UNLOCK : HEDDLE_EV_MUTEX_LOCK;
    e.site = HEDDLE_SITE_PC | (100 + i % 2);
    e.object = i % 2 ? events[i - 1].object : x % 1000 == 0 ? 1u << 30 : 1 + (x >> 28);
    e.flags = HEDDLE_EF_POINT | (i > 0 && events[i - 1].thread != e.thread ? HEDDLE_EF_SWITCH : 0);
    if (x % 777 != 0) continue;
    e.kind = HEDDLE_EV_HANDOVER, e.site = 0, e.object = 0, e.value = x >> 20;
    e.flags |= HEDDLE_EF_VALUE | (e.flags & HEDDLE_EF_SWITCH ? HEDDLE_EF_PREEMPTED : 0);
  }
  return events;
}

TEST_F(Container, StepsAreEncodedTheSameInPiecesAndBlockByBlock) {
  std::mt19937_64 rng(3);
  const std::vector<HeddleEvent> steps = steps_of_recording(20'000), others = random_events(rng, 5'000);
  EventEncoder encoder;
  const std::string once = encoded(encoder, steps, steps.size());
  std::vector<HeddleEvent> read;
  ASSERT_TRUE(decode_events(once, static_cast<std::uint32_t>(steps.size()), read));
  EXPECT_TRUE(std::ranges::equal(read, steps, same));
  for (const std::size_t piece : {1u, 3u, 64u, 4096u}) {
    EXPECT_EQ(encoded(encoder, steps, piece), once) << piece;
    const std::string between = encoded(encoder, others, piece);  // leaves nothing behind
    ASSERT_TRUE(decode_events(between, static_cast<std::uint32_t>(others.size()), read));
    EXPECT_TRUE(std::ranges::equal(read, others, same));
  }
}

TEST_F(Container, LargeTablesAreCutIntoBlocks) {
  std::mt19937_64 rng(6);
  TraceHead head = sample_head();
  for (int i = 0; i < 100'000; ++i) head.stacks.push_back({head.stacks[0][0], head.stacks[1][1], head.stacks[2][0]});
  for (int i = 0; i < 1'000'000; ++i)
    head.schedule.push_back({static_cast<std::uint32_t>(i % 3), static_cast<std::uint32_t>(rng() % 100)});
  head.inputs.assign(5u << 20, 'x');
  head.output = std::string(100u << 20, '\0');  // compresses like a bomb: must still be readable
  ASSERT_TRUE(write_trace(file("t"), head, {}));
  auto reader = TraceReader::open(file("t"));
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->damage(), "");
  EXPECT_TRUE(reader->head() == head);
}

TEST_F(Container, EveryTruncationGivesAPrefixOrAnError) {
  const std::string good = sample_bytes(file("t"));
  const auto events = sample_events();
  for (std::size_t n = 0; n < good.size(); ++n) {
    auto reader = parse(good.substr(0, n));
    if (!reader) {
      EXPECT_FALSE(reader.error().message.empty());
      continue;
    }
    if (n + 8 > good.size() && reader->damage().empty()) {
      EXPECT_EQ(reader->head(), sample_head());  // only padding is missing
      continue;
    }
    EXPECT_FALSE(reader->head().complete) << n;
    EXPECT_FALSE(reader->damage().empty()) << n;
    expect_prefix(events_of(*reader), events);
  }
}

TEST_F(Container, EveryFlippedBitIsNoticedOrHarmless) {
  const std::string good = sample_bytes(file("t"));
  const auto events = sample_events();
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    auto reader = parse(bad);
    if (bit < 32 * 8) {
      EXPECT_FALSE(reader) << "header bit " << bit;
    }
    if (!reader) continue;
    expect_prefix(events_of(*reader), events);
    if (reader->damage().empty()) {
      EXPECT_EQ(reader->head(), sample_head()) << "bit " << bit;  // padding
    } else {
      EXPECT_FALSE(reader->head().complete);
    }
  }
}

TEST_F(Container, TablesAfterADamagedBlockOfEventsAreKept) {
  const std::string good = sample_bytes(file("t"));
  for (std::size_t at : {33u, 39u, 60u, 80u}) {  // magic, section, length, payload of the first block
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    auto reader = parse(bad);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->event_count(), 0u);
    EXPECT_EQ(reader->head().failure, sample_head().failure);
    EXPECT_EQ(reader->head().schedule, sample_head().schedule);
    EXPECT_FALSE(reader->head().complete);
  }
}

TEST_F(Container, EventsAfterAHoleAreNotShown) {
  std::mt19937_64 rng(7);
  const auto events = random_events(rng, 3 * format::kEventsPerBlock);
  ASSERT_TRUE(write_trace(file("t"), sample_head(), events));
  std::string bytes = bytes_of(file("t"));
  format::BlockHeader first;
  std::memcpy(&first, bytes.data() + 32, sizeof first);
  const std::size_t second = 32 + sizeof first + format::padded(first.stored_size);
  bytes[second + 100] ^= 1;
  auto reader = parse(bytes);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->event_count(), format::kEventsPerBlock);
  EXPECT_EQ(reader->head().failure, sample_head().failure);
}

TEST_F(Container, ForeignAndNewerFilesAreNamed) {
  for (const char* text : {"", "hello\n",
                           "\x7f"
                           "ELF and so on, more than thirty-two bytes of it"}) {
    auto reader = parse(text);
    ASSERT_FALSE(reader);
    EXPECT_NE(reader.error().message.find("not a heddle trace"), std::string::npos);
  }
  for (const Forge& forge : {Forge(2), Forge(format::kVersion, 1)}) {
    auto reader = parse(forge.bytes);
    ASSERT_FALSE(reader);
    EXPECT_NE(reader.error().message.find("newer"), std::string::npos);
  }
  EXPECT_NE(parse(Forge().bytes).error().message.find("no intact block"), std::string::npos);
  EXPECT_FALSE(TraceReader::open("/nonexistent.heddle"));
  EXPECT_FALSE(TraceReader::open("/tmp"));
  EXPECT_FALSE(TraceReader::open("/dev/zero"));
  EXPECT_FALSE(TraceReader::open("/dev/null"));
}

TEST_F(Container, UnknownSectionsAreSkipped) {
  Forge f;
  f.block(static_cast<format::Section>(200), format::Codec::Stored, "later", 5);
  auto reader = parse(f.bytes);
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->head().complete);
}

TEST_F(Container, AWriterThatIsGivenUpLeavesNothing) {
  std::mt19937_64 rng(1);
  const auto events = random_events(rng, 3 * format::kEventsPerBlock);
  for (int i = 0; i < 10; i++) {  // blocks are still being compressed when it goes
    auto writer = TraceWriter::create(file("t"));
    ASSERT_TRUE(writer && writer->append(events));
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(Container, BombsAndLiesAreBounded) {
  rlimit old{}, tight{};
  getrlimit(RLIMIT_AS, &old);
  tight = old;
  tight.rlim_cur = 2ull << 30;
  setrlimit(RLIMIT_AS, &tight);
  using format::Codec, format::Section;
  const std::string zeros(60u << 20, '\0'), bomb = zstd(zeros);
  Forge many;
  for (int i = 0; i < 100; ++i)
    many.block(Section::Output, Codec::Zstd, bomb, static_cast<std::uint32_t>(zeros.size()));
  auto reader = parse(many.bytes);  // would be 6 GB
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->damage().empty());

  ByteWriter frames, stack, stacks;  // a long name, repeated through a stack table
  ByteWriter frame;
  frame.string(std::string(1u << 20, 'f'));
  frames.record(frame);
  stack.varint(100'000);
  for (int i = 0; i < 100'000; ++i) stack.varint(1);
  stacks.record(stack);
  const auto stored = [](Forge& f, Section s, std::string_view b) {
    f.block(s, Codec::Stored, std::string(b), static_cast<std::uint32_t>(b.size()));
  };
  Forge expansion;
  stored(expansion, Section::Frames, frames.view());
  stored(expansion, Section::Stacks, stacks.view());
  EXPECT_TRUE(parse(expansion.bytes));

  for (std::uint32_t count : {1u, 65536u, 65537u, ~0u}) {  // events that are not there
    Forge f;
    f.block(Section::Events, Codec::Stored, "garbage!", 8, count);
    auto r = parse(f.bytes);
    ASSERT_TRUE(r);
    EXPECT_TRUE(r->event_count() == 0 || !r->for_each_block([](auto) { return true; }));
  }
  for (int s = 1; s <= 15; ++s)  // counts that are not there
    for (const char* lie : {"\x06\xff\xff\xff\xff\x0f\x01", "\xff\xff\xff\xff\x0f", "\x02\x80",
                            "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"}) {
      Forge f;
      stored(f, static_cast<Section>(s), lie);
      (void)parse(f.bytes);
    }
  setrlimit(RLIMIT_AS, &old);
}

TEST_F(Container, AFullDiskIsAnErrorAndLeavesNothing) {
  auto full = TraceWriter::create("/dev/full");
  if (full) {
    Status s = full->finish(sample_head());
    ASSERT_FALSE(s);
    EXPECT_NE(s.error().message.find("/dev/full"), std::string::npos);
  }
  EXPECT_TRUE(fs::exists("/dev/full"));

  if (mount("heddle", folder_.c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "no tmpfs here";
  std::mt19937_64 rng(1);
  auto writer = TraceWriter::create(file("t"));
  ASSERT_TRUE(writer);
  const Status s = writer->append(random_events(rng, 200'000));
  EXPECT_FALSE(s);
  if (!s) {
    EXPECT_NE(s.error().message.find(file("t").string()), std::string::npos) << s.error().message;
  }
  EXPECT_FALSE(writer->finish(sample_head()));
  EXPECT_EQ(files(), 0u);
  umount(folder_.c_str());
}

TEST_F(Container, DevicesAreWrittenIntoAndNeverReplaced) {
  struct stat before{}, after{};
  ASSERT_EQ(stat("/dev/null", &before), 0);
  EXPECT_TRUE(write_trace("/dev/null", sample_head(), sample_events()));
  ASSERT_EQ(stat("/dev/null", &after), 0);
  EXPECT_TRUE(S_ISCHR(after.st_mode));
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_FALSE(TraceWriter::create(folder_));
  EXPECT_FALSE(TraceWriter::create(file("missing") / "t"));
}

TEST_F(Container, LinksAreFollowedAndOldTracesSurviveAnAbandonedWriter) {
  ASSERT_TRUE(write_trace(file("real"), sample_head(), sample_events()));
  const std::string before = bytes_of(file("real"));
  fs::create_symlink("real", file("link"));
  {
    auto writer = TraceWriter::create(file("link"));
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->append(sample_events()));
  }
  EXPECT_EQ(files(), 2u);
  EXPECT_EQ(bytes_of(file("real")), before);
  ASSERT_TRUE(write_trace(file("link"), sample_head(), {}));
  EXPECT_TRUE(fs::is_symlink(file("link")));
  EXPECT_EQ(TraceReader::open(file("real"))->event_count(), 0u);
}

TEST_F(Container, MillionsOfEventsStreamInBoundedMemory) {
  const auto peak_kb = [] {
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
  };
  constexpr std::size_t kEvents = 2'000'000;
  const long before = peak_kb();
  auto writer = TraceWriter::create(file("t"));
  ASSERT_TRUE(writer);
  ProgramLikeEvents source(1);
  for (std::size_t n = 0; n < kEvents; n += 50'000) ASSERT_TRUE(writer->append(source.next(50'000)));
  ASSERT_TRUE(writer->finish(program_like_head()));
  auto reader = TraceReader::open(file("t"));
  ASSERT_TRUE(reader);
  ProgramLikeEvents again(1);
  std::vector<HeddleEvent> expected = again.next(50'000);
  std::size_t at = 0, seen = 0;
  ASSERT_TRUE(reader->for_each_block([&](std::span<const HeddleEvent> block) {
    for (const HeddleEvent& e : block) {
      if (at == expected.size()) expected = again.next(50'000), at = 0;
      if (!same(e, expected[at++])) return false;
      ++seen;
    }
    return true;
  }));
  EXPECT_EQ(seen, kEvents);
  EXPECT_LE(static_cast<double>(reader->event_bytes()) / kEvents, 4.0);
  EXPECT_LT(peak_kb() - before, 64 * 1024);
}

// Traces of every released version stay readable for ever. HEDDLE_STORE_TRACES=1 writes the one of this version.
TEST_F(Container, StoredTraceOfVersion1IsReadable) {
  const fs::path stored = fs::path(HEDDLE_SOURCE_DIR) / "tests/data/traces/v1-sample.heddle";
  if (std::getenv("HEDDLE_STORE_TRACES")) {
    ASSERT_TRUE(write_trace(stored, sample_head(), sample_events()));
  }
  auto reader = TraceReader::open(stored);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->damage(), "");
  EXPECT_EQ(reader->head(), sample_head());
  const auto events = events_of(*reader);
  EXPECT_EQ(events.size(), sample_events().size());
  expect_prefix(events, sample_events());
}

TEST(SiteRefs, NameAModuleOfTheTraceAndAnInstruction) {
  TraceHead head;
  head.bitcode = {{"program", 10}, {"library", 20}};
  const auto ref = [&](std::uint32_t module, std::uint32_t ordinal) {
    SiteRecord site;
    site.module = module;
    site.ordinal = ordinal;
    return site_ref(head, site);
  };
  EXPECT_EQ(ref(2, 7), (SiteRef{"library", 20, 7}));
  EXPECT_EQ(ref(0, 0), std::nullopt);
  EXPECT_EQ(ref(0, 7), std::nullopt);
  EXPECT_EQ(ref(1, 0), std::nullopt);
  EXPECT_EQ(ref(3, 7), std::nullopt) << "a hostile trace";
}

}  // namespace
}  // namespace heddle
