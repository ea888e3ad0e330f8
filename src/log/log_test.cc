#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "abi/events.h"
#include "src/log/log.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t kChunk = 4096, kRoom = kChunk - sizeof(HeddleLogChunk);
constexpr std::uint64_t kModulesAt = 4096, kChunksAt = kModulesAt + HEDDLE_LOG_MODULES * sizeof(HeddleLogModule);

/// A log as the runtime would write it, chunk by chunk.
struct Builder {
  std::string bytes = std::string(kChunksAt, '\0');
  HeddleLogHeader header{HEDDLE_LOG_MAGIC,
                         HEDDLE_LOG_VERSION,
                         sizeof header,
                         kChunk,
                         0,
                         0,
                         1 << 20,
                         kModulesAt,
                         kChunksAt,
                         0,
                         0,
                         0,
                         77,
                         1,
                         0,
                         0,
                         0,
                         0,
                         0,
                         0,
                         0};

  Builder() { add_chunk({HEDDLE_LOG_CHUNK_MAGIC, HEDDLE_LOG_DIRECTORY, 0, 0, 1, 0, 0, 0, 0, 0, 0}, ""); }

  template <class T>
  void put(std::uint64_t offset, const T& value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
  }
  HeddleLogChunk& chunk(std::uint32_t number) {
    return *reinterpret_cast<HeddleLogChunk*>(bytes.data() + kChunksAt + number * kChunk);
  }
  std::uint32_t add_chunk(HeddleLogChunk c, const std::string& payload) {
    c.committed = static_cast<std::uint32_t>(payload.size());
    c.check = heddle_log_hash(payload.data(), payload.size());
    bytes.resize(bytes.size() + kChunk);
    put(bytes.size() - kChunk, c);
    std::memcpy(bytes.data() + bytes.size() - kChunk + sizeof c, payload.data(), payload.size());
    return header.chunk_count++;
  }
  /// `pieces`: the payload of each chunk, in the order of their sequence from `from` on.
  void add_stream(std::uint64_t thread, std::uint32_t type, const std::vector<std::string>& pieces,
                  std::uint64_t from = 1) {
    HeddleLogStream s{};
    s.thread = thread;
    s.type = type;
    s.check = heddle_log_hash(&s, offsetof(HeddleLogStream, first));
    const std::uint32_t number = header.stream_count++;
    for (std::size_t i = 0; i < pieces.size(); i++) {
      const bool last = i + 1 == pieces.size();
      HeddleLogChunk c{HEDDLE_LOG_CHUNK_MAGIC, type, number, 0, from + i, thread, 0, 0, 0, !last, 0};
      const std::uint32_t at = add_chunk(c, pieces[i]);
      if (i == 0)
        s.first = at + 1;
      else
        chunk(at - 1).next = at + 1;
    }
    put(kChunksAt + sizeof(HeddleLogChunk) + number * sizeof s, s);
    chunk(0).committed += sizeof s;
  }
  std::string finished() {
    header.check = heddle_log_hash(&header, offsetof(HeddleLogHeader, check));
    put(0, header);
    return bytes;
  }
};

std::string sync(std::uint64_t tsc, std::size_t count = 1) {
  std::string out;
  for (std::size_t i = 0; i < count; i++) {
    const HeddleLogSync r{tsc + i, 0x1234 | std::uint64_t{HEDDLE_EV_MUTEX_LOCK} << 48, 0x5678};
    out.append(reinterpret_cast<const char*>(&r), sizeof r);
  }
  return out;
}

std::string made(std::uint64_t thread, std::uint32_t ordinal) {
  const HeddleLogThread r{thread, ordinal, 0, 0, 0};
  return {reinterpret_cast<const char*>(&r), sizeof r};
}

TEST(Log, RecordsComeBackInOrder) {
  Builder b;
  b.add_stream(0, HEDDLE_LOG_SYNC, {sync(1, 5), sync(6, 3)});
  auto log = Log::parse(b.finished());
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->streams().size(), 1u);
  const auto records = Log::sync_of(log->streams()[0]);
  ASSERT_EQ(records.size(), 8u);
  for (std::size_t i = 0; i < records.size(); i++) EXPECT_EQ(records[i].tsc, i + 1);
  EXPECT_EQ(log->committed(), 8 * sizeof(HeddleLogSync));
  EXPECT_THAT(log->damage(), IsEmpty());
}

TEST(Log, ARingBeginsWithItsOldestChunk) {
  Builder b;
  b.add_stream(0, HEDDLE_LOG_SYNC, {sync(30), sync(10), sync(20)}, 7);
  for (std::uint32_t i : {1u, 2u, 3u}) b.chunk(i).sealed = i != 1;
  b.chunk(1).sequence = 9, b.chunk(2).sequence = 7, b.chunk(3).sequence = 8;
  b.chunk(3).next = 2;  // back to the first
  auto log = Log::parse(b.finished());
  ASSERT_TRUE(log);
  const auto records = Log::sync_of(log->streams()[0]);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].tsc, 10u);
  EXPECT_EQ(records[2].tsc, 30u);
  EXPECT_EQ(log->streams()[0].overwritten, 6u);
  EXPECT_THAT(log->damage(), IsEmpty());
}

TEST(Log, ThreadsAreNamedByTheirCreation) {
  Builder b;
  b.add_stream(0, HEDDLE_LOG_THREADS, {made(1, 1) + made(70'000, 2)});
  b.add_stream(70'000, HEDDLE_LOG_THREADS, {made(70'001, 1)});
  b.add_stream(5, HEDDLE_LOG_THREADS, {made(3, 1)});  // older than its maker: nobody believes that
  auto log = Log::parse(b.finished());
  ASSERT_TRUE(log);
  EXPECT_EQ(log->thread_name(0), "0");
  EXPECT_EQ(log->thread_name(1), "0.1");
  EXPECT_EQ(log->thread_name(70'001), "0.2.1");
  EXPECT_EQ(log->thread_name(3), "#3");
  EXPECT_EQ(log->thread_name(999), "#999");
}

TEST(Log, ADamagedChunkIsNamedAndTheOthersAreRead) {
  Builder b;
  b.add_stream(0, HEDDLE_LOG_SYNC, {sync(1, 4), sync(5, 4), sync(9, 4)});
  b.add_stream(1, HEDDLE_LOG_SYNC, {sync(1)});
  std::string bytes = b.finished();
  bytes[kChunksAt + 2 * kChunk + sizeof(HeddleLogChunk) + 3] ^= 1;
  auto log = Log::parse(bytes);
  ASSERT_TRUE(log);
  EXPECT_EQ(Log::sync_of(log->streams()[0]).size(), 8u);
  EXPECT_EQ(Log::sync_of(log->streams()[1]).size(), 1u);
  EXPECT_THAT(log->damage(), ElementsAre(HasSubstr("chunk 2 does not match its checksum")));
}

TEST(Log, ACutFileIsReadAsFarAsItGoes) {
  Builder b;
  b.add_stream(0, HEDDLE_LOG_SYNC, {sync(1, 4), sync(5, 4)});
  const std::string bytes = b.finished();
  auto log = Log::parse(std::string_view(bytes).substr(0, kChunksAt + 2 * kChunk + 100));
  ASSERT_TRUE(log);
  EXPECT_EQ(Log::sync_of(log->streams()[0]).size(), 4u);
  EXPECT_THAT(log->damage(), ElementsAre("the file is cut off: 1 of 3 chunks are missing"));
}

TEST(Log, WhatWasNotCommittedIsNotThere) {
  Builder b;
  b.add_stream(0, HEDDLE_LOG_SYNC, {sync(1, 4)});
  b.chunk(1).committed -= sizeof(HeddleLogSync);
  auto log = Log::parse(b.finished());
  ASSERT_TRUE(log);
  EXPECT_EQ(Log::sync_of(log->streams()[0]).size(), 3u);
  EXPECT_THAT(log->damage(), IsEmpty());
}

TEST(Log, AnotherVersionAndADamagedHeaderAreErrors) {
  Builder b;
  std::string bytes = b.finished();
  bytes[8] = 2;
  EXPECT_THAT(Log::parse(bytes).error().message, HasSubstr("version 2"));
  bytes = b.finished();
  bytes[40] ^= 1;
  EXPECT_THAT(Log::parse(bytes).error().message, HasSubstr("header"));
  EXPECT_FALSE(Log::parse("HEDLLOG1"));
}

TEST(Log, NoDamageOfAnyByteIsHarmful) {
  Builder b;
  b.add_stream(0, HEDDLE_LOG_THREADS, {made(1, 1)});
  b.add_stream(0, HEDDLE_LOG_SYNC, {sync(1, kRoom / sizeof(HeddleLogSync)), sync(9)});
  b.add_stream(1, HEDDLE_LOG_SYNC, {sync(1)});
  const std::string bytes = b.finished();
  std::mt19937 random(1);
  for (int n = 0; n < 3000; n++) {
    std::string broken = bytes;
    for (int k = 0; k < 4; k++) {
      const std::size_t chunk = random() % 6, within = random() % 192;
      const std::size_t at = chunk == 5 ? random() % 256 : kChunksAt + chunk * kChunk + within;
      broken[at] = static_cast<char>(random() % 3 ? random() : 0xff);
    }
    if (auto log = Log::parse(broken)) {
      EXPECT_LE(log->committed(), bytes.size());
      (void)log_text(*log, true);
      (void)log_json(*log);
    }
  }
}

}  // namespace
}  // namespace heddle
