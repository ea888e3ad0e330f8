#include "src/hunt/dpor.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "src/hunt/observation.h"
#include "src/hunt/toy_test.h"

namespace heddle {
namespace {

struct Explored {
  std::size_t runs = 0;
  std::set<std::uint64_t> classes;
};

std::uint64_t class_of(const std::vector<HeddleDecision>& decisions) {
  Observer observer;
  observer.on_decisions(decisions);
  return observer.finish().order;
}

Explored by_dpor(const Toy& toy) {
  Dpor dpor;
  Explored out;
  while (auto prefix = dpor.next()) {
    std::vector<HeddleDecision> pending;
    auto decisions = toy.run(*prefix, &pending);
    out.runs++;
    out.classes.insert(class_of(decisions));
    dpor.learn(decisions, pending);
  }
  EXPECT_TRUE(dpor.complete() && dpor.exact());
  return out;
}

Explored by_dfs(const Toy& toy) {
  Enumeration all(Enumeration::Order::kDepthFirst, 1);
  Explored out;
  for (;;) {
    auto prefixes = all.take(16);
    if (prefixes.empty()) return out;
    for (std::size_t i = 0; i < prefixes.size(); i++) {
      auto decisions = toy.run(prefixes[i]);
      out.runs++;
      out.classes.insert(class_of(decisions));
      all.learn(i, decisions);
    }
  }
}

constexpr std::uint32_t kLock = HEDDLE_EV_MUTEX_LOCK, kUnlock = HEDDLE_EV_MUTEX_UNLOCK, kRead = HEDDLE_EV_READ,
                        kWrite = HEDDLE_EV_WRITE;

TEST(Dpor, IndependentThreadsNeedOneSchedule) { EXPECT_EQ(by_dpor(Toy{{{{1}, {1}}, {{2}, {2}}, {{3}}}}).runs, 1u); }

TEST(Dpor, EveryClassOfSchedulesIsExecuted) {
  const Toy toys[] = {
      {{{{1}, {2}}, {{2}, {1}}}},
      {{{{1}, {2}, {1}}, {{2}, {3}, {1}}}},
      {{{{1, kRead}, {1, kWrite}}, {{1, kRead}, {1, kWrite}}}},
      {{{{1, kRead}, {2, kWrite}}, {{2, kRead}, {1, kWrite}}, {{1, kRead}, {2, kRead}}}},
      {{{{1, kLock}, {2}, {1, kUnlock}}, {{1, kLock}, {2}, {1, kUnlock}}, {{3}, {2}}}},
      {{{{1, kLock}, {2, kLock}, {2, kUnlock}, {1, kUnlock}},
        {{2, kLock}, {3}, {2, kUnlock}},
        {{1, kLock}, {3}, {1, kUnlock}}}},
      {{{{1}, {5, kUnlock}}, {{5, kLock}, {1, kRead}, {5, kUnlock}}}},  // an unlock that is refused
      {{{{1}, {5, kUnlock}}, {{5, kUnlock}, {1}}}},
  };
  for (const Toy& toy : toys) {
    Explored all = by_dfs(toy), some = by_dpor(toy);
    EXPECT_EQ(some.classes, all.classes) << "program " << &toy - toys;
    EXPECT_LE(some.runs, all.runs);
    EXPECT_GE(some.runs, some.classes.size());
  }
}

// Threads of 1 to 3 steps at two places, a third of them inside a lock; some unlock it who do not hold it.
Toy random_toy(std::mt19937& random) {
  Toy toy;
  for (auto threads = 2 + random() % 2; threads > 0; threads--) {
    std::vector<ToyStep> steps(1 + random() % 3);
    for (ToyStep& step : steps) step = {static_cast<std::uint32_t>(1 + random() % 2), random() % 2 ? kRead : kWrite};
    if (random() % 3 == 0) steps.front() = {5, kLock}, steps.push_back({5, kUnlock});
    if (random() % 5 == 0) steps[random() % steps.size()] = {5, kUnlock};
    toy.threads.push_back(std::move(steps));
  }
  return toy;
}

TEST(Dpor, OfRandomProgramsToo) {
  std::mt19937 random(7);
  std::size_t runs = 0, classes = 0;
  for (int i = 0; i < 500; i++) {
    Toy toy = random_toy(random);
    Explored all = by_dfs(toy), some = by_dpor(toy);
    ASSERT_EQ(some.classes, all.classes) << "program " << i;
    runs += some.runs;
    classes += some.classes.size();
  }
  EXPECT_LT(runs, classes * 5 / 4);  // few schedules are executed in vain
}

// Sections of different kinds, some inside others, some left locked; semaphores that are given by another thread.
void add_section(std::vector<ToyStep>& steps, std::mt19937& random, int depth) {
  static constexpr std::uint32_t kKinds[][3] = {{kLock, kUnlock, 11},
                                                {HEDDLE_EV_RW_RDLOCK, HEDDLE_EV_RW_UNLOCK, 13},
                                                {HEDDLE_EV_RW_WRLOCK, HEDDLE_EV_RW_UNLOCK, 13},
                                                {HEDDLE_EV_SEM_WAIT, HEDDLE_EV_SEM_POST, 15},
                                                {HEDDLE_EV_SEM_WAIT, HEDDLE_EV_SEM_POST, 16}};
  const auto& kind = kKinds[random() % 5];
  const std::uint32_t place = kind[2];
  const auto what = random() % 8;
  if (what != 0) steps.push_back({place, kind[0]});  // a semaphore may be given only
  if (what == 0 && kind[0] != HEDDLE_EV_SEM_WAIT) return;
  if (depth > 0 && random() % 3 == 0)
    add_section(steps, random, depth - 1);
  else
    steps.push_back({static_cast<std::uint32_t>(1 + random() % 2), random() % 2 ? kRead : kWrite});
  if (what != 1) steps.push_back({place, kind[1]});
}

TEST(Dpor, OfProgramsThatWaitForEachOtherToo) {
  std::mt19937 random(11);
  std::size_t runs = 0, classes = 0, all_runs = 0;
  for (int i = 0; i < 150; i++) {
    Toy toy;
    for (auto threads = 2 + random() % 2; threads > 0; threads--) {
      std::vector<ToyStep> steps;
      add_section(steps, random, 1);
      if (random() % 2 && threads < 3) add_section(steps, random, 0);
      toy.threads.push_back(std::move(steps));
    }
    Explored all = by_dfs(toy), some = by_dpor(toy);
    ASSERT_EQ(some.classes, all.classes) << "program " << i;
    runs += some.runs;
    classes += some.classes.size();
    all_runs += all.runs;
  }
  RecordProperty("runs", static_cast<int>(runs));
  RecordProperty("classes", static_cast<int>(classes));
  RecordProperty("all", static_cast<int>(all_runs));
  EXPECT_LT(runs, classes * 2);
  EXPECT_LT(runs * 4, all_runs);
}

TEST(Dpor, ManyIndependentStepsCostNothing) {
  // One conflict between two threads of 6 steps: two classes; depth-first search has 924 schedules.
  Toy toy{{{{1}, {2}, {3}, {9}, {4}, {5}}, {{11}, {12}, {13}, {9}, {14}, {15}}}};
  Explored some = by_dpor(toy);
  EXPECT_EQ(some.classes.size(), 2u);
  EXPECT_LE(some.runs, 3u);
}

TEST(Dpor, OperationsOnDifferentPlacesAreIndependentAndReadsAreToo) {
  HeddleDecision a{}, b{};
  a.kind = b.kind = HEDDLE_EV_READ;
  a.address = b.address = 64;
  EXPECT_FALSE(dependent(a, b));
  b.kind = HEDDLE_EV_WRITE;
  EXPECT_TRUE(dependent(a, b));
  b.address = 128;
  EXPECT_FALSE(dependent(a, b));
  b.address = 68;
  a.size = b.size = 4;
  EXPECT_FALSE(dependent(a, b));
  a.size = 8;
  EXPECT_TRUE(dependent(a, b));
  b.kind = HEDDLE_EV_EXIT;
  EXPECT_TRUE(dependent(a, b));
  a.kind = HEDDLE_EV_THREAD_JOIN, b.kind = HEDDLE_EV_THREAD_EXIT;
  a.address = 3, b.thread = 2, a.size = b.size = 0;
  EXPECT_FALSE(dependent(a, b));
  b.thread = 3;
  EXPECT_TRUE(dependent(a, b));
  a.kind = HEDDLE_EV_MUTEX_TRYLOCK, a.object = 9, a.thread = 0;
  EXPECT_FALSE(dependent(a, b));
  b.object = 9;  // a robust mutex that it leaves
  EXPECT_TRUE(dependent(a, b));
  b.object = 0;
  b.kind = HEDDLE_EV_COND_WAKE;  // takes a mutex back, and which one is not in the event
  a.kind = HEDDLE_EV_MUTEX_LOCK;
  EXPECT_TRUE(dependent(a, b));
}

}  // namespace
}  // namespace heddle
