#include "src/hunt/listed.h"

#include <gtest/gtest.h>

#include <set>

#include "src/hunt/toy_test.h"

namespace heddle {
namespace {

Epoch epoch_at(std::uint64_t first, std::uint64_t end, std::vector<Strategy> opening) {
  Epoch epoch;
  epoch.first = first, epoch.end = end;
  epoch.mix.pattern = std::move(opening);
  return epoch;
}

// Executes what was planned for `epoch`; returns the schedules.
std::vector<std::vector<int>> execute(Listed& listed, const Epoch& epoch, const Toy& toy) {
  std::vector<std::vector<int>> out;
  std::map<std::uint64_t, Lesson> lessons;
  for (const auto& [index, prefix] : epoch.prefixes) {
    Observation seen;
    seen.decisions = toy.run(prefix);
    out.push_back(threads_of(seen.decisions));
    lessons[index].seen = std::move(seen);
  }
  listed.learn(epoch, lessons);
  return out;
}

TEST(Listed, OnlyItsOwnRunsAndNoMoreThanAreKnown) {
  Listed listed(7);
  Epoch epoch = epoch_at(1, 4, {Strategy::kPos, Strategy::kIcb, Strategy::kIcb});
  listed.plan(epoch, true);
  ASSERT_EQ(epoch.prefixes.size(), 1u);  // the run without preemptions leads to all others
  EXPECT_TRUE(epoch.prefixes.contains(2));
}

TEST(Listed, EachScheduleOnceInEpochsOfOtherRuns) {
  Toy toy{{{{1}, {1}, {1}}, {{1}, {1}}}};  // 10 schedules
  Listed listed(7);
  std::vector<std::vector<int>> all;
  for (std::uint64_t first = 1; first < 80; first += 4) {
    Epoch epoch = epoch_at(first, first + 4, {Strategy::kIcb, Strategy::kPct, Strategy::kIcb});
    listed.plan(epoch, first == 1);
    for (auto& schedule : execute(listed, epoch, toy)) all.push_back(std::move(schedule));
  }
  EXPECT_EQ(all.size(), 10u);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 10u);
}

TEST(Listed, OtherPointsAreANewStart) {
  Toy toy{{{{1}, {1}, {1}}, {{1}, {1}}}};
  Listed listed(7);
  for (int start = 0; start < 2; start++) {
    Epoch epoch = epoch_at(1, 2, {Strategy::kIcb});
    listed.plan(epoch, true);
    ASSERT_EQ(epoch.prefixes.size(), 1u);
    EXPECT_TRUE(epoch.prefixes.begin()->second.empty());
    execute(listed, epoch, toy);
  }
}

TEST(Listed, LongRunsAreNotListed) {
  Listed listed(7);
  Epoch epoch = epoch_at(1, 2, {Strategy::kIcb});
  epoch.longest = 1'000'000;
  listed.plan(epoch, true);
  EXPECT_TRUE(epoch.prefixes.empty());
}

}  // namespace
}  // namespace heddle
