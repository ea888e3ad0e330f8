#include "src/order/order.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

struct Step {
  std::uint16_t thread;
  std::uint32_t kind;
  std::uint32_t object = 0;
  std::uint64_t address = 0;
  std::optional<std::uint64_t> value = {};
  std::uint8_t flags = 0;
};

HeddleEvent event_of(const Step& step) {
  HeddleEvent e{};
  e.thread = step.thread;
  e.kind = static_cast<std::uint8_t>(step.kind);
  e.object = step.object;
  e.address = step.address;
  e.flags = step.flags;
  if (step.value) e.value = *step.value, e.flags |= HEDDLE_EF_VALUE;
  return e;
}

Order order_of(std::initializer_list<Step> steps, const OrderOptions& options = {}) {
  Order order(options);
  for (const Step& step : steps) {
    const HeddleEvent event = event_of(step);
    EXPECT_TRUE(order.add({&event, 1}));
  }
  return order;
}

constexpr std::uint32_t kCreate = HEDDLE_EV_THREAD_CREATE, kStart = HEDDLE_EV_THREAD_START,
                        kJoin = HEDDLE_EV_THREAD_JOIN, kLock = HEDDLE_EV_MUTEX_LOCK, kUnlock = HEDDLE_EV_MUTEX_UNLOCK,
                        kRead = HEDDLE_EV_READ, kWrite = HEDDLE_EV_WRITE, kTry = HEDDLE_EV_RW_TRYLOCK,
                        kGive = HEDDLE_EV_RW_UNLOCK, kArrive = HEDDLE_EV_BARRIER_ARRIVE,
                        kLeave = HEDDLE_EV_BARRIER_LEAVE;

TEST(Order, LocksOrderAndNeedNot) {
  const Order order = order_of({{0, kWrite, 0, 64}, {0, kLock, 1}, {0, kUnlock, 1}, {1, kLock, 1}, {1, kRead, 0, 64}});
  const EventId write{0, 0}, read{1, 1};
  EXPECT_TRUE(order.before(write, read));
  EXPECT_TRUE(order.concurrent(write, read, Relation::kMust));
  ASSERT_EQ(order.edges(), 1u);
  EXPECT_EQ(order.edge(0), (SyncEdge{{0, 2}, {1, 0}, EdgeKind::kLock}));
  ASSERT_EQ(order.conflicts(), 1u);
  EXPECT_EQ(order.conflict(0), (Conflict{write, read, ConflictKind::kWriteRead}));
  EXPECT_EQ(order.reads_from(read), (std::vector<ReadPart>{{0, 1, write}}));
}

TEST(Order, ACreatorsKnowledgeIsInheritedWithoutACopy) {
  // 0 makes 1, which makes 2; what 0 does after that, 2 does not know.
  const Order order = order_of({{0, kWrite, 0, 64},
                                {0, kCreate, 0, 0, 1},
                                {0, kWrite, 0, 64},
                                {1, kStart},
                                {1, kCreate, 0, 0, 2},
                                {2, kStart},
                                {1, kWrite, 0, 72},
                                {0, kJoin, 0, 1},
                                {0, kRead, 0, 72}});
  EXPECT_TRUE(order.before({0, 0}, {2, 0}));
  EXPECT_TRUE(order.before({0, 1}, {2, 0}));
  EXPECT_TRUE(order.concurrent({0, 2}, {2, 0}));
  EXPECT_TRUE(order.before({1, 0}, {2, 0}));
  EXPECT_TRUE(order.concurrent({1, 2}, {2, 0}));
  EXPECT_TRUE(order.before({1, 2}, {0, 3}));
  EXPECT_TRUE(order.concurrent({2, 0}, {0, 4})) << "2 was not joined";
}

TEST(Order, OlderTracesDoNotNameTheThreadThatWasMade) {
  const Order order = order_of({{0, kCreate}, {0, kWrite, 0, 64}, {0, kCreate}, {1, kStart}, {2, kStart}});
  EXPECT_TRUE(order.before({0, 0}, {1, 0}));
  EXPECT_TRUE(order.concurrent({0, 1}, {1, 0}));
  EXPECT_TRUE(order.before({0, 2}, {2, 0}));
}

TEST(Order, OlderTracesDoNotSayHowMuchWasLocked) {
  // Both may have been alone or shared: they are ordered, but nothing says that they exclude each other.
  const Order order = order_of({{0, kTry, 5}, {0, kWrite, 0, 64}, {0, kGive, 5}, {1, kTry, 5}, {1, kRead, 0, 64}});
  EXPECT_TRUE(order.before({0, 1}, {1, 1}));
  EXPECT_FALSE(order.exclude_each_other({0, 1}, {1, 1}));
  const Order told = order_of({{0, kTry, 5, 0, 1}, {0, kWrite, 0, 64}, {0, kGive, 5}, {1, kTry, 5, 0, 0}, {1, kRead}});
  EXPECT_TRUE(told.before({0, 1}, {1, 1}));
  EXPECT_TRUE(told.exclude_each_other({0, 1}, {1, 1}));
  const Order shared = order_of({{0, kTry, 5, 0, 0}, {0, kRead}, {0, kGive, 5}, {1, kTry, 5, 0, 0}, {1, kRead}});
  EXPECT_TRUE(shared.concurrent({0, 1}, {1, 1}));
}

TEST(Order, ABarrierOrdersItsRoundOnly) {
  const std::initializer_list<Step> steps{{0, kArrive, 9}, {1, kArrive, 9}, {2, kArrive, 9}, {0, kLeave, 9},
                                          {1, kLeave, 9},  {3, kArrive, 9}, {2, kLeave, 9}};
  const Order untold = order_of(steps);
  EXPECT_TRUE(untold.before({1, 0}, {0, 1}));
  EXPECT_TRUE(untold.before({2, 0}, {0, 1})) << "too much, since the trace does not say that two make a round";
  Order told;
  for (const Step& step : steps) {
    HeddleEvent event = event_of(step);
    if (step.kind == kArrive) event.value = 2, event.flags |= HEDDLE_EF_VALUE;
    ASSERT_TRUE(told.add({&event, 1}));
  }
  EXPECT_TRUE(told.before({1, 0}, {0, 1}));
  EXPECT_TRUE(told.concurrent({2, 0}, {0, 1}));
  EXPECT_TRUE(told.before({3, 0}, {2, 1}));
}

TEST(Order, WhatIsAllocatedAnewWasWrittenByNobody) {
  const Order order = order_of({{0, kWrite, 0, 64, {}, 3},
                                {0, HEDDLE_EV_FREE, 0, 64, 32},
                                {1, kRead, 0, 64, {}, 3},
                                {1, HEDDLE_EV_MALLOC, 0, 64, 32},
                                {1, kRead, 0, 64, {}, 3}});
  EXPECT_EQ(order.reads_from({1, 0}), (std::vector<ReadPart>{{0, 8, {0, 1}}})) << "a use after free";
  EXPECT_TRUE(order.reads_from({1, 2}).empty());
  EXPECT_EQ(order.conflicts(), 1u);
}

TEST(Order, OfARangeThatManyWritesFilledTheFirstPartsAreKept) {
  Order order;
  std::vector<HeddleEvent> events;
  for (std::uint64_t at = 0; at < 2 * MemoryOrder::kMostParts; at++)
    events.push_back(event_of({0, kWrite, 0, 64 + at}));
  events.push_back(event_of({1, HEDDLE_EV_READ_RANGE, 0, 64, events.size()}));
  ASSERT_TRUE(order.add(events));
  const std::vector<ReadPart> parts = order.reads_from({1, 0});
  ASSERT_EQ(parts.size(), MemoryOrder::kMostParts);
  EXPECT_EQ(parts.back().offset, MemoryOrder::kMostParts - 1);
}

TEST(Order, OfEventsThatItDoesNotHaveNothingIsKnown) {
  const Order order = order_of({{0, kWrite, 0, 64}, {1, kRead, 0, 64}});
  EXPECT_FALSE(order.before({0, 0}, {0, 7}));
  EXPECT_FALSE(order.concurrent({0, 0}, {7, 0}));
  EXPECT_TRUE(order.reads_from({7, 0}).empty());
  EXPECT_TRUE(order.locks_held({7, 0}).empty());
}

TEST(Order, HostileEventsAreRefusedOrOrderNothing) {
  Order order;
  const HeddleEvent too_many = event_of({Order::kMostThreads, kWrite, 0, 64});
  EXPECT_FALSE(order.add({&too_many, 1}));
  const Order strange = order_of({{0, kUnlock, 1},
                                  {0, kJoin, 0, ~0ull},
                                  {0, kJoin, 0, 0},
                                  {0, kCreate, 0, 0, ~0ull},
                                  {0, kCreate, 0, 0, 0},
                                  {0, kLeave, 9},
                                  {0, HEDDLE_EV_WRITE_RANGE, 0, 64, ~0ull},
                                  {0, HEDDLE_EV_COND_WAKE, 7},
                                  {0, HEDDLE_EV_COND_WAIT, 7, 0, ~0ull},
                                  {0, HEDDLE_EV_COUNT, 7},
                                  {0, kGive, 5}});
  EXPECT_EQ(strange.edges(), 0u);
}

}  // namespace
}  // namespace heddle
