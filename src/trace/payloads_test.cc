#include "src/trace/payloads.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "abi/region.h"
#include "src/trace/container.h"
#include "src/trace/temporary_folder.h"

namespace heddle {
namespace {

std::vector<Payload> some() {
  return {{3, "abc"}, {4, ""}, {9, std::string(HEDDLE_MAX_PAYLOAD, '\0')}, {1000, "\xff"}};
}

PayloadEncoder encoded(const std::vector<Payload>& payloads) {
  PayloadEncoder out;
  for (const Payload& p : payloads) out.add(p);
  return out;
}

void append(std::string& area, std::uint64_t event, std::string_view bytes) {
  const HeddlePayload head{event, bytes.size()};
  area.append(reinterpret_cast<const char*>(&head), sizeof head).append(bytes);
  area.resize((area.size() + 7) & ~std::size_t{7});
}

TEST(Payloads, DecodeIsTheInverseOfEncode) {
  const PayloadEncoder block = encoded(some());
  std::vector<Payload> out;
  ASSERT_TRUE(decode_payloads(block.bytes(), block.first(), block.count(), 1001, out));
  EXPECT_EQ(out, some());
}

TEST(Payloads, ABlockThatNamesEventsBehindTheLastOneIsRefused) {
  const PayloadEncoder block = encoded(some());
  std::vector<Payload> out;
  EXPECT_FALSE(decode_payloads(block.bytes(), block.first(), block.count(), 1000, out));
  EXPECT_FALSE(decode_payloads(block.bytes(), ~0ull - 3, block.count(), ~0ull, out));
}

TEST(Payloads, OtherCountsAreRefused) {
  const PayloadEncoder block = encoded(some());
  std::vector<Payload> out;
  for (std::uint32_t count : {0u, 3u, 5u, ~0u})
    EXPECT_FALSE(decode_payloads(block.bytes(), 3, count, 1001, out)) << count;
}

TEST(Payloads, AnyBytesAreDecodedOrRefused) {
  std::mt19937 rng(7);
  const std::string good = encoded({{3, "abc"}, {4, "defgh"}, {9, "ij"}}).bytes();
  std::vector<Payload> out;
  for (int i = 0; i < 20'000; i++) {
    std::string bad = good.substr(0, rng() % (good.size() + 1));
    for (unsigned k = rng() % 3; k > 0 && !bad.empty(); k--) bad[rng() % bad.size()] = static_cast<char>(rng());
    if (!decode_payloads(bad, 3, rng() % 5, 100, out)) continue;
    for (std::size_t p = 1; p < out.size(); p++) ASSERT_LT(out[p - 1].event, out[p].event);
  }
}

TEST(Payloads, TheAreaOfARunIsSortedByEvent) {
  std::string area;
  append(area, 5, "five.....");
  append(area, 2, "two");
  append(area, 5, "again");
  append(area, 7, "there is no such event");
  EXPECT_EQ(payloads_of(area, 7), (std::vector<Payload>{{2, "two"}, {5, "five....."}}));
}

TEST(Payloads, ACorruptedAreaEndsWhereItIsWrong) {
  std::string area;
  append(area, 1, "good");
  append(area, 2, std::string(HEDDLE_MAX_PAYLOAD + 1, 'x'));
  append(area, 3, "never reached");
  EXPECT_EQ(payloads_of(area, 9), (std::vector<Payload>{{1, "good"}}));
  EXPECT_EQ(payloads_of(area.substr(0, 20), 9), std::vector<Payload>());  // cut in the first
  const HeddlePayload huge{1, ~0ull};
  EXPECT_TRUE(payloads_of({reinterpret_cast<const char*>(&huge), sizeof huge}, 9).empty());
}

std::vector<Payload> many() {
  std::vector<Payload> out;
  for (std::uint64_t event = 1; event < 2'000; event += 2) out.push_back({event, std::string(2'000 + event, 'a')});
  return out;
}

Result<TraceReader> trace_with(const std::vector<Payload>& payloads, const std::filesystem::path& path) {
  HeddleEvent range{};
  range.kind = HEDDLE_EV_WRITE_RANGE;
  const std::vector<HeddleEvent> events(2'000, range);
  Result<TraceWriter> writer = TraceWriter::create(path);
  EXPECT_TRUE(writer && writer->append(events) && writer->append(payloads) && writer->finish(TraceHead{}));
  return TraceReader::open(path);
}

TEST(Payloads, ATraceGivesThemBackByEvent) {
  auto folder = TemporaryFolder::create("payloads");
  ASSERT_TRUE(folder);
  auto trace = trace_with(many(), folder->path() / "t");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->damage(), "");
  std::vector<Payload> all;
  ASSERT_TRUE(trace->for_each_payload([&](const Payload& p) { return all.push_back(p), true; }));
  EXPECT_EQ(all, many());
  for (std::uint64_t event : {1999u, 1u, 1001u}) EXPECT_EQ(trace->payload(event).value()->bytes.size(), 2'000 + event);
  for (std::uint64_t event : {0ull, 2ull, 2000ull, ~0ull}) EXPECT_FALSE(trace->payload(event).value()) << event;
}

TEST(Payloads, ATraceWithoutThemHasNone) {
  auto folder = TemporaryFolder::create("payloads");
  ASSERT_TRUE(folder);
  auto trace = trace_with({}, folder->path() / "t");
  ASSERT_TRUE(trace);
  EXPECT_FALSE(trace->payload(0).value());
}

}  // namespace
}  // namespace heddle
