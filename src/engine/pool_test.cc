// The pool with hands that execute no program: what it promises to who plans and absorbs.
#include "src/engine/pool.h"

#include <numeric>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using Numbers = Pool<std::uint64_t, std::uint64_t>;
using std::chrono::milliseconds;

/// Doubles a number, after a while that differs from one to the next.
class Doubles final : public Numbers::Hand {
 public:
  explicit Doubles(std::uint64_t seed) : dice_(seed) {}
  std::uint64_t execute(std::uint64_t, std::uint64_t request) override {
    for (std::uint64_t i = dice_() % 4; i > 0; i--) std::this_thread::yield();
    return 2 * request;
  }

 private:
  std::mt19937_64 dice_;
};

Numbers::MakeHand doubles() {
  return [](unsigned worker, const std::atomic<bool>&) -> Result<std::unique_ptr<Numbers::Hand>> {
    return std::make_unique<Doubles>(worker);
  };
}

/// Executes nothing until it is told to stop.
class Waits final : public Numbers::Hand {
 public:
  explicit Waits(const std::atomic<bool>& stop) : stop_(stop) {}
  std::uint64_t execute(std::uint64_t, std::uint64_t request) override {
    while (!stop_) std::this_thread::yield();
    return request;
  }

 private:
  const std::atomic<bool>& stop_;
};

Numbers::MakeHand waits() {
  return [](unsigned, const std::atomic<bool>& stop) -> Result<std::unique_ptr<Numbers::Hand>> {
    return std::make_unique<Waits>(stop);
  };
}

PoolOptions with(unsigned workers) {
  PoolOptions options;
  options.workers = workers;
  return options;
}

std::vector<std::uint64_t> counted_to(std::uint64_t end) {
  std::vector<std::uint64_t> out(end);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

class ForWorkers : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Pool, ForWorkers, ::testing::Values(1u, 2u, 3u, 8u));

TEST_P(ForWorkers, OutcomesAreAbsorbedInTheOrderOfThePlan) {
  constexpr std::uint64_t kRuns = 2000;
  std::vector<std::uint64_t> order, asked;
  Numbers pool(with(GetParam()), doubles());
  const auto end = pool.run(
      [&](std::uint64_t i) -> Numbers::Planned {
        if (i == kRuns) return Numbers::End{};
        asked.push_back(i);
        return i;
      },
      [&](std::uint64_t i, std::uint64_t outcome) {
        EXPECT_EQ(outcome, 2 * i);
        order.push_back(i);
      });
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, PoolEnd::kPlanned);
  EXPECT_EQ(order, counted_to(kRuns));
  EXPECT_EQ(asked, counted_to(kRuns)) << "each is planned once";
}

TEST_P(ForWorkers, APlanThatWaitsSeesAllOutcomesBeforeIt) {
  constexpr std::uint64_t kRuns = 500;
  std::uint64_t sum = 0, boundary = 1, begun = 0;  // as in epochs: what runs are made of is what all before them gave
  std::vector<std::uint64_t> requests;
  Numbers pool(with(GetParam()), doubles());
  std::uint64_t at_boundary = 0, absorbed = 0;
  const auto end = pool.run(
      [&](std::uint64_t i) -> Numbers::Planned {
        if (i == kRuns) return Numbers::End{};
        if (i == boundary) {
          if (absorbed < i) return Numbers::Wait{};
          at_boundary = sum;
          boundary *= 2;
        }
        begun++;
        requests.push_back(at_boundary % 1000 + i);
        return requests.back();
      },
      [&](std::uint64_t i, std::uint64_t outcome) {
        EXPECT_EQ(i, absorbed++);
        sum += outcome;
      });
  ASSERT_TRUE(end);
  EXPECT_EQ(begun, kRuns);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 0, all = 0, known = 0, next = 1; i < kRuns; i++) {
    if (i == next) known = all, next *= 2;
    expected.push_back(known % 1000 + i);
    all += 2 * expected.back();
  }
  EXPECT_EQ(requests, expected);
}

TEST_P(ForWorkers, APlanThatAlwaysWaitsMakesOneRunAtATime) {
  constexpr std::uint64_t kRuns = 300;
  std::uint64_t absorbed = 0;
  Numbers pool(with(GetParam()), doubles());
  const auto end = pool.run(
      [&](std::uint64_t i) -> Numbers::Planned {
        if (absorbed < i) return Numbers::Wait{};
        if (i == kRuns) return Numbers::End{};
        return i;
      },
      [&](std::uint64_t i, std::uint64_t) { EXPECT_EQ(i, absorbed++); });
  ASSERT_TRUE(end);
  EXPECT_EQ(absorbed, kRuns);
}

TEST_P(ForWorkers, APlanMayEndBecauseOfAnOutcome) {
  std::uint64_t absorbed = 0, begun = 0;
  bool found = false;
  Numbers pool(with(GetParam()), doubles());
  const auto end = pool.run(
      [&](std::uint64_t i) -> Numbers::Planned {
        if (found) return Numbers::End{};
        begun = i + 1;
        return i;
      },
      [&](std::uint64_t i, std::uint64_t) { absorbed++, found |= i == 100; });
  ASSERT_TRUE(end);
  EXPECT_EQ(absorbed, begun) << "what was begun is absorbed";
  EXPECT_GT(absorbed, 100u);
}

TEST_P(ForWorkers, NothingPlannedNothingDone) {
  bool made = false;
  Numbers pool(with(GetParam()), [&](unsigned, const std::atomic<bool>&) -> Result<std::unique_ptr<Numbers::Hand>> {
    made = true;
    return std::make_unique<Doubles>(0);
  });
  const auto end = pool.run([](std::uint64_t) -> Numbers::Planned { return Numbers::End{}; },
                            [](std::uint64_t, std::uint64_t) { ADD_FAILURE(); });
  ASSERT_TRUE(end);
  EXPECT_FALSE(made);
}

TEST_P(ForWorkers, AnInterruptEndsWhatRunsAndAbsorbsIt) {
  std::atomic<bool> stop = false;
  PoolOptions options = with(GetParam());
  options.stop = &stop;
  options.watch = [&] { return stop = true, std::nullopt; };
  std::uint64_t begun = 0, absorbed = 0;
  Numbers pool(options, waits());
  const auto end = pool.run([&](std::uint64_t i) -> Numbers::Planned { return begun = i + 1, i; },
                            [&](std::uint64_t i, std::uint64_t) { EXPECT_EQ(i, absorbed++); });
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, PoolEnd::kInterrupted);
  EXPECT_LE(absorbed, GetParam());
  EXPECT_LE(absorbed, begun);
}

TEST_P(ForWorkers, TheTimeEndsWhatRuns) {
  PoolOptions options = with(GetParam());
  const auto soon = PoolOptions::Clock::now() + milliseconds(20);
  options.watch = [&] { return std::optional(soon); };
  Numbers pool(options, waits());
  const auto end = pool.run([](std::uint64_t i) -> Numbers::Planned { return i; }, [](std::uint64_t, std::uint64_t) {});
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, PoolEnd::kOutOfTime);
  EXPECT_GE(PoolOptions::Clock::now(), soon);
}

TEST_P(ForWorkers, AHandThatCannotBeMadeIsAnError) {
  Numbers pool(with(GetParam()), [](unsigned, const std::atomic<bool>&) -> Result<std::unique_ptr<Numbers::Hand>> {
    return error("no hand");
  });
  const auto end = pool.run([](std::uint64_t i) -> Numbers::Planned { return i; },
                            [](std::uint64_t, std::uint64_t) { ADD_FAILURE(); });
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "no hand");
}

TEST_P(ForWorkers, ABrokenInvariantEndsItOnTheCallingThread) {
  Numbers pool(with(GetParam()), doubles());
  const auto nothing = [](std::uint64_t, std::uint64_t) {};
  EXPECT_THROW((void)pool.run([](std::uint64_t) -> Numbers::Planned { return Numbers::Wait{}; }, nothing), Bug);
}

TEST_P(ForWorkers, EachHandStaysOnOneThreadAndOnlyThoseThatAreNeededAreMade) {
  struct OnOneThread final : Numbers::Hand {
    ~OnOneThread() override { EXPECT_EQ(std::this_thread::get_id(), made_on); }
    std::uint64_t execute(std::uint64_t, std::uint64_t request) override {
      EXPECT_EQ(std::this_thread::get_id(), made_on);
      return request;
    }
    const std::thread::id made_on = std::this_thread::get_id();
  };
  std::atomic<unsigned> made = 0;
  Numbers pool(with(GetParam()), [&](unsigned, const std::atomic<bool>&) -> Result<std::unique_ptr<Numbers::Hand>> {
    made++;
    return std::make_unique<OnOneThread>();
  });
  const auto end = pool.run(
      [](std::uint64_t i) -> Numbers::Planned {
        if (i == 1) return Numbers::End{};
        return i;
      },
      [](std::uint64_t, std::uint64_t) {});
  ASSERT_TRUE(end);
  EXPECT_EQ(made, 1u);
}

}  // namespace
}  // namespace heddle
