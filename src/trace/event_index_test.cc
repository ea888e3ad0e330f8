#include "src/trace/event_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "src/trace/container.h"
#include "src/trace/format.h"
#include "src/trace/random_trace.h"
#include "src/trace/tables.h"
#include "src/trace/temporary_folder.h"

namespace heddle {
namespace {

/// All events with their places, by reading them all.
std::vector<PlacedEvent> scan(std::span<const HeddleEvent> events) {
  std::vector<PlacedEvent> out;
  std::map<std::uint16_t, std::uint64_t> next;
  std::uint64_t steps = 0, made = 0;
  for (const HeddleEvent& e : events) {
    out.push_back({e, out.size(), steps, next[e.thread]++, made});
    steps += (e.flags & HEDDLE_EF_POINT) != 0;
    made += makes_thread(e);
  }
  return out;
}

std::vector<PlacedEvent> around(const std::vector<PlacedEvent>& all, std::uint64_t step,
                                std::optional<std::uint16_t> thread, std::size_t before, std::size_t after) {
  const auto wanted = [&](const PlacedEvent& e) { return !thread || e.event.thread == *thread; };
  const auto at = std::ranges::find_if(
      all, [&](const PlacedEvent& e) { return e.steps == step && (e.event.flags & HEDDLE_EF_POINT); });
  std::vector<PlacedEvent> out;
  for (auto e = at; e != all.begin() && out.size() < before;)
    if (wanted(*--e)) out.push_back(*e);
  std::ranges::reverse(out);
  for (auto e = at; e != all.end() && after > 0; ++e)
    if (wanted(*e)) out.push_back(*e), after--;
  return out;
}

void expect_same(const std::vector<PlacedEvent>& a, const std::vector<PlacedEvent>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); i++) {
    EXPECT_EQ(std::memcmp(&a[i].event, &b[i].event, sizeof(HeddleEvent)), 0) << i;
    EXPECT_EQ(a[i].position, b[i].position);
    EXPECT_EQ(a[i].steps, b[i].steps);
    EXPECT_EQ(a[i].n, b[i].n);
    EXPECT_EQ(a[i].made, b[i].made);
  }
}

/// Threads take turns of very different lengths, some only at one end, so that blocks lack threads and steps.
std::vector<HeddleEvent> uneven_events(std::mt19937_64& rng, std::size_t count) {
  std::vector<HeddleEvent> events;
  while (events.size() < count) {
    const auto thread = static_cast<std::uint16_t>(rng() % 5 == 0 ? rng() % 300 : events.size() < count / 2 ? 1 : 2);
    const std::uint64_t length = rng() % 10 == 0 ? rng() % 100'000 : rng() % 20;
    const unsigned sparse = rng() % 3 == 0 ? 1 : 5000;
    for (std::uint64_t i = 0; i <= length && events.size() < count; i++) {
      HeddleEvent e{};
      e.thread = thread;
      e.kind = rng() % 1000 == 0 ? HEDDLE_EV_THREAD_CREATE : HEDDLE_EV_READ;
      e.site = static_cast<std::uint32_t>(rng() % 7);
      e.flags = rng() % sparse == 0 ? HEDDLE_EF_POINT : 0;
      events.push_back(e);
    }
  }
  return events;
}

class Index : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryFolder::create("index-test");
    ASSERT_TRUE(made);
    folder_ = std::move(*made);
  }
  TraceReader written(std::span<const HeddleEvent> events) {
    auto writer = TraceWriter::create(file());
    EXPECT_TRUE(writer && writer->append(events) && writer->finish(sample_head()));
    auto reader = TraceReader::open(file());
    EXPECT_TRUE(reader) << reader.error().message;
    EXPECT_EQ(reader->damage(), "");
    return std::move(*reader);
  }
  std::filesystem::path file() const { return folder_.path() / "t.heddle"; }
  TemporaryFolder folder_;
};

TEST_F(Index, answers_what_a_scan_of_all_events_answers) {
  for (unsigned seed = 1; seed <= 4; seed++) {
    std::mt19937_64 rng(seed);
    const auto events = uneven_events(rng, 1 + rng() % 400'000);
    const auto all = scan(events);
    const TraceReader reader = written(events);
    const std::uint64_t steps = all.back().steps + ((all.back().event.flags & HEDDLE_EF_POINT) != 0);
    for (int i = 0; i < 40 && steps > 0; i++) {
      const std::uint64_t step = i == 0 ? 0 : i == 1 ? steps - 1 : rng() % steps;
      std::optional<std::uint16_t> thread;
      if (i % 4 != 0) thread = static_cast<std::uint16_t>(i % 4 == 1 ? rng() % 300 : i % 4);
      const std::size_t before = rng() % 30, after = rng() % 30;
      auto found = reader.events_around(step, thread, before, after);
      ASSERT_TRUE(found) << found.error().message;
      expect_same(*found, around(all, step, thread, before, after));
    }
    for (int i = 0; i < 40; i++) {
      const PlacedEvent& e = all[rng() % all.size()];
      auto found = reader.event({e.event.thread, e.n});
      ASSERT_TRUE(found) << found.error().message;
      expect_same({*found}, {e});
    }
    EXPECT_FALSE(reader.events_around(steps, {}, 1, 1));
    EXPECT_FALSE(reader.event({1, events.size()}));
    EXPECT_FALSE(reader.event({999, 0}));
  }
}

TEST_F(Index, a_window_of_blocks_knows_how_many_threads_were_made_before_it) {
  std::mt19937_64 rng(7);
  const auto events = uneven_events(rng, 300'000);
  const auto all = scan(events);
  const TraceReader reader = written(events);
  for (const std::uint64_t first : {0u, 1u, 65'535u, 65'536u, 200'000u, 299'999u}) {
    std::uint64_t seen = 0;
    ASSERT_TRUE(reader.for_each_block_from(
        first, [&](std::uint64_t number, std::uint64_t made, std::span<const HeddleEvent> block) {
          if (seen == 0) {
            EXPECT_TRUE(number <= first && first < number + block.size());
          }
          EXPECT_EQ(made, all[number].made);
          EXPECT_EQ(std::memcmp(block.data(), &events[number], block.size_bytes()), 0);
          seen = number + block.size();
          return true;
        }));
    EXPECT_EQ(seen, events.size());
  }
}

TEST_F(Index, a_trace_that_was_cut_off_has_the_same_answers) {
  std::mt19937_64 rng(3);
  const auto events = uneven_events(rng, 250'000);
  written(events);
  std::ifstream in(file(), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  bytes.resize(bytes.size() * 3 / 4);  // without tables, index and end
  auto reader = TraceReader::parse(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(reader);
  ASSERT_GT(reader->event_count(), 65'536u);
  const auto all = scan(std::span(events).first(reader->event_count()));
  const std::uint64_t step = all.back().steps / 2;
  auto found = reader->events_around(step, {}, 5, 5);
  ASSERT_TRUE(found) << found.error().message;
  expect_same(*found, around(all, step, {}, 5, 5));
}

TEST_F(Index, survives_its_stored_form) {
  std::mt19937_64 rng(5);
  EventIndex index;
  const auto events = uneven_events(rng, 200'000);
  for (std::span<const HeddleEvent> rest(events); !rest.empty();) {
    const auto some = rest.first(std::min<std::size_t>(rest.size(), 1 + rng() % format::kEventsPerBlock));
    index.add(some);
    index.end_block();
    rest = rest.subspan(some.size());
  }
  ByteWriter bytes;
  index.encode([&](const ByteWriter& record) { return bytes.record(record), true; });
  Budget budget(1 << 30);
  ByteReader in(bytes.view(), budget);
  EventIndex read;
  ASSERT_TRUE(read.decode(in));
  EXPECT_EQ(read.blocks(), index.blocks());
  EXPECT_EQ(read.steps(), index.steps());
  for (std::uint16_t t = 0; t < 301; t++) EXPECT_EQ(read.events_of(t), index.events_of(t));
}

TEST_F(Index, one_that_lies_is_an_error_and_no_wrong_answer) {
  std::mt19937_64 rng(11);
  std::vector<HeddleEvent> events(1000);
  for (std::size_t i = 0; i < events.size(); i++) events[i].thread = i % 2, events[i].flags = HEDDLE_EF_POINT;
  EventIndex index;
  for (HeddleEvent e : events) e.thread = 0, index.add({&e, 1});  // as many events, of another thread
  index.end_block();
  EXPECT_TRUE(index.fits(std::vector<std::uint32_t>{1000}));
  EXPECT_TRUE(index.place(0, events).empty());
  for (int i = 0; i < 2000; i++) {  // damaged: refused, or at least harmless
    ByteWriter bytes;
    index.encode([&](const ByteWriter& record) { return bytes.record(record), true; });
    std::string raw(bytes.view());
    raw[rng() % raw.size()] = static_cast<char>(rng());
    Budget budget(1 << 20);
    ByteReader in(raw, budget);
    EventIndex damaged;
    if (damaged.decode(in) && damaged.fits(std::vector<std::uint32_t>{1000})) {
      EXPECT_TRUE(damaged.place(0, events).empty());
    }
  }
}

}  // namespace
}  // namespace heddle
