// The log of a recording: what the runtime writes is what the host reads, in the order of (number, thread); and nothing
// that lies there is believed.
#include "src/engine/step_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace heddle {
namespace {

struct Written {
  StepOrder order;
  HeddleStep step;
};

/// An area as the runtime fills it.
class Area {
 public:
  explicit Area(std::size_t words) : words_(words) {}

  void add(std::uint32_t thread, std::uint64_t number, std::uint8_t kind, std::uint32_t what, std::uint32_t object) {
    std::uint64_t entry[HEDDLE_LOG_ENTRY_WORDS];
    Log& log = logs_[thread];
    if (log.left < HEDDLE_LOG_ENTRY_WORDS) begin_chunk(thread, log);
    const std::uint32_t count = heddle_entry_words(kind, what, object, number - log.last, entry);
    for (std::uint32_t i = 0; i < count; i++) words_[log.at++] = entry[i];
    log.left -= count;
    log.last = number;
    const bool stops = kind == HEDDLE_EV_HANDOVER;
    written_.push_back({{number, thread},
                        {static_cast<std::uint16_t>(thread), kind, 0, stops ? 0 : what, object, stops ? what : 0}});
  }

  std::vector<Written> in_order() const {
    std::vector<Written> all = written_;
    std::ranges::stable_sort(all, {}, &Written::order);
    return all;
  }
  std::vector<std::uint64_t>& words() { return words_; }

 private:
  struct Log {
    std::size_t at = 0, left = 0;
    std::uint64_t last = 0;
  };
  static constexpr std::size_t kChunk = HEDDLE_SMALLEST_CHUNK / 8;

  void begin_chunk(std::uint32_t thread, Log& log) {
    words_[used_] = (thread + 1) | std::uint64_t{kChunk * 8} << 32;
    log.at = used_ + 2;
    log.left = kChunk - 2;
    used_ += kChunk;
  }

  std::vector<std::uint64_t> words_;
  std::vector<Written> written_;
  std::array<Log, 8> logs_;
  std::size_t used_ = 0;
};

void expect_same(const HeddleStep& a, const HeddleStep& b) {
  EXPECT_EQ(a.thread, b.thread);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.site, b.site);
  EXPECT_EQ(a.object, b.object);
  EXPECT_EQ(a.hooks, b.hooks);
}

/// Some thousand steps of five threads; entries of both lengths.
Area random_area(unsigned seed) {
  Area area(1 << 16);
  std::mt19937_64 random(seed);
  std::uint64_t number[5] = {};
  for (int i = 0; i < 3000; i++) {
    const auto thread = static_cast<std::uint32_t>(random() % 5);
    number[thread] += random() % 50 ? random() % 3 : 1 + random() % (1ull << 40);
    const std::uint8_t kind = random() % 4 ? HEDDLE_EV_MUTEX_LOCK : HEDDLE_EV_HANDOVER;
    const auto what = static_cast<std::uint32_t>(random() % 3 ? random() % 1000 : random());
    const auto object = static_cast<std::uint32_t>(kind == HEDDLE_EV_HANDOVER ? 0 : random() % (1u << 20));
    area.add(thread, number[thread], kind, what, object);
  }
  return area;
}

TEST(StepLog, EveryStepIsReadInTheOrderOfNumbersAndThreads) {
  for (unsigned seed = 1; seed <= 20; seed++) {
    Area area = random_area(seed);
    StepMerge merge(area.words(), std::nullopt);
    for (const Written& w : area.in_order()) {
      const HeddleStep* step = merge.next();
      ASSERT_NE(step, nullptr);
      expect_same(*step, w.step);
    }
    EXPECT_EQ(merge.next(), nullptr);
    EXPECT_TRUE(merge.beyond().empty());
  }
}

TEST(StepLog, BehindTheLastStepThatCountsIsTheNextOneOfEachThread) {
  Area area(1 << 12);
  area.add(0, 1, HEDDLE_EV_THREAD_CREATE, 7, 1);
  area.add(1, 2, HEDDLE_EV_THREAD_START, 0, 0);
  area.add(2, 2, HEDDLE_EV_THREAD_START, 0, 0);
  area.add(0, 5, HEDDLE_EV_EXIT, 9, 0);
  area.add(1, 6, HEDDLE_EV_HANDOVER, 40, 0);
  area.add(1, 8, HEDDLE_EV_HANDOVER, 41, 0);
  area.add(2, 5, HEDDLE_EV_MUTEX_LOCK, 3, 2);
  const std::optional<StepOrder> last = last_step_of(area.words(), 0);
  ASSERT_EQ(last, (StepOrder{5, 0}));
  StepMerge merge(area.words(), last);
  int count = 0;
  while (merge.next()) count++;
  EXPECT_EQ(count, 4);
  const std::vector<HeddleStep> beyond = merge.beyond();
  ASSERT_EQ(beyond.size(), 2u);
  EXPECT_EQ(beyond[0].hooks + beyond[1].hooks, 40u);
  EXPECT_EQ(last_step_of(area.words(), 3), std::nullopt);
}

TEST(StepLog, AnEntryThatWasCutIsTheEnd) {
  Area area(1 << 10);
  area.add(0, 1, HEDDLE_EV_THREAD_START, 0, 0);
  area.add(0, 1ull << 30, HEDDLE_EV_MUTEX_LOCK, 1, 1);
  area.words()[3] = 0;  // its second word was written
  StepMerge merge(area.words(), std::nullopt);
  EXPECT_NE(merge.next(), nullptr);
  EXPECT_EQ(merge.next(), nullptr);
}

TEST(StepLog, WhateverLiesThereEnds) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; i++) {
    Area area = random_area(static_cast<unsigned>(i % 7));
    for (int k = 0; k < 20; k++) area.words()[random() % 4000] = random() % 2 ? random() : random() % 256;
    area.words().resize(random() % area.words().size());
    StepMerge merge(area.words(), std::nullopt);
    std::size_t count = 0;
    while (const HeddleStep* step = merge.next()) {
      ASSERT_LT(step->thread, HEDDLE_MAX_THREADS);
      ASSERT_LT(step->kind, HEDDLE_EV_COUNT);
      ASSERT_LT(count++, area.words().size());
    }
  }
}

}  // namespace
}  // namespace heddle
