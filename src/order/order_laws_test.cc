// Laws of Order on random executions, each beside a definition that is written down as it is said, and slow.
#include <gtest/gtest.h>

#include <bitset>
#include <tuple>

#include "src/order/lock_holders.h"
#include "src/order/order.h"
#include "src/order/random_execution_test.h"

namespace heddle {
namespace {

constexpr unsigned kSeeds = 400;
constexpr std::size_t kLength = 120;
using Past = std::bitset<kLength>;  // of an event: those that happened before it

bool is(const HeddleEvent& e, std::initializer_list<std::uint32_t> kinds) {
  return std::ranges::find(kinds, e.kind) != kinds.end() && !(e.flags & HEDDLE_EF_FAILED);
}

/// Event j releases to i, by the text of EdgeKind; atomics and threads apart.
std::optional<EdgeKind> synchronises(const RandomExecution& run, std::size_t j, std::size_t i) {
  const HeddleEvent &a = run.events[j], &b = run.events[i];
  if (is(a, {HEDDLE_EV_IO_CALL, HEDDLE_EV_IO_LEAVE}) &&
      is(b, {HEDDLE_EV_IO_CALL, HEDDLE_EV_IO_RETURN, HEDDLE_EV_SIGNAL}))
    return EdgeKind::kChannel;
  if (b.object == 0 || a.object != b.object) return std::nullopt;
  if (is(b, {HEDDLE_EV_SEM_WAIT, HEDDLE_EV_SEM_TRYWAIT}) && is(a, {HEDDLE_EV_SEM_POST})) return EdgeKind::kSemaphore;
  if (is(b, {HEDDLE_EV_COND_WAKE}) && is(a, {HEDDLE_EV_COND_SIGNAL, HEDDLE_EV_COND_BROADCAST}))
    return EdgeKind::kCondition;
  if (is(b, {HEDDLE_EV_ONCE}) && is(a, {HEDDLE_EV_ONCE_DONE})) return EdgeKind::kOnce;
  if (is(b, {HEDDLE_EV_FUTEX_WOKEN}) && is(a, {HEDDLE_EV_FUTEX_WAKE})) return EdgeKind::kFutex;
  if (is(b, {HEDDLE_EV_BARRIER_LEAVE}) && is(a, {HEDDLE_EV_BARRIER_ARRIVE}) && run.round[i] == run.round[j])
    return EdgeKind::kBarrier;
  return std::nullopt;
}

/// Which lock the event gives back (or takes), and how; 0: none.
HeldLock given_back(const RandomExecution& run, std::size_t i) {
  const HeddleEvent& e = run.events[i];
  if (is(e, {HEDDLE_EV_COND_WAIT})) return {static_cast<std::uint32_t>(e.value), LockMode::kAlone};
  if (!is(e, {HEDDLE_EV_MUTEX_UNLOCK, HEDDLE_EV_SPIN_UNLOCK, HEDDLE_EV_RW_UNLOCK})) return {};
  return *std::ranges::find(run.held[i], e.object, &HeldLock::object);
}
HeldLock taken(const RandomExecution& run, std::size_t i) {
  const HeddleEvent& e = run.events[i];
  if (e.kind == HEDDLE_EV_COND_WAKE) {
    for (std::size_t j = i; j-- > 0;)
      if (run.events[j].thread == e.thread && run.events[j].kind == HEDDLE_EV_COND_WAIT)
        return {static_cast<std::uint32_t>(run.events[j].value), LockMode::kAlone};
  }
  if (is(e, {HEDDLE_EV_RW_RDLOCK}) || (is(e, {HEDDLE_EV_RW_TRYLOCK}) && e.value == 0))
    return {e.object, LockMode::kShared};
  if (is(e, {HEDDLE_EV_MUTEX_LOCK, HEDDLE_EV_MUTEX_TRYLOCK, HEDDLE_EV_SPIN_LOCK, HEDDLE_EV_SPIN_TRYLOCK,
             HEDDLE_EV_RW_WRLOCK, HEDDLE_EV_RW_TRYLOCK}))
    return {e.object, LockMode::kAlone};
  return {};
}

std::vector<bool> bytes_of(const HeddleEvent& e) {
  std::vector<bool> out(256);
  if (const auto at = memory_of(e))
    for (std::uint64_t byte = at->first; byte <= at->last; byte++) out[byte] = true;
  return out;
}
bool touch(const HeddleEvent& a, const HeddleEvent& b) {
  const auto x = memory_of(a), y = memory_of(b);
  return x && y && x->first <= y->last && y->first <= x->last;
}

/// A load comes behind the store of each byte that it reads and the read-modify-writes between.
void atomics(const RandomExecution& run, std::size_t i, const EdgeSet& edges, auto behind) {
  const HeddleEvent& e = run.events[i];
  if (!edges.has(EdgeKind::kAtomic) || heddle_event_class(e.kind) != HEDDLE_C_ATOMIC || !reads_memory(e)) return;
  const auto at = memory_of(e);
  for (std::uint64_t byte = at->first; byte <= at->last; byte++)
    for (std::size_t j = i; j-- > 0;) {
      const HeddleEvent& other = run.events[j];
      if (!bytes_of(other)[byte]) continue;
      if (heddle_event_class(other.kind) == HEDDLE_C_ALLOCATE) break;
      if (heddle_event_class(other.kind) != HEDDLE_C_ATOMIC || !writes_memory(other)) continue;
      behind(j);
      if (other.kind == HEDDLE_EV_ATOMIC_STORE) break;
    }
}

std::vector<Past> happened_before(const RandomExecution& run, EdgeSet edges) {
  std::vector<Past> past(run.events.size());
  for (std::size_t i = 0; i < run.events.size(); i++) {
    const HeddleEvent& e = run.events[i];
    const auto behind = [&](std::size_t j) {
      past[i] |= past[j];
      past[i].set(j);
    };
    for (std::size_t j = 0; j < i; j++) {
      const HeddleEvent& other = run.events[j];
      if (other.thread == e.thread) behind(j);
      const bool creates = is(other, {HEDDLE_EV_THREAD_CREATE}) && other.value == e.thread;
      const bool joined = is(e, {HEDDLE_EV_THREAD_JOIN}) && e.address == other.thread;
      if (edges.has(EdgeKind::kThread) && (creates || joined)) behind(j);
      const HeldLock gives = given_back(run, j), takes = taken(run, i);
      const bool readers = gives.mode == LockMode::kShared && takes.mode == LockMode::kShared;
      if (edges.has(EdgeKind::kLock) && gives.object && gives.object == takes.object && !readers) behind(j);
      if (const auto kind = synchronises(run, j, i); kind && edges.has(*kind)) behind(j);
    }
    atomics(run, i, edges, behind);
  }
  return past;
}

Order order_of(const RandomExecution& run, const OrderOptions& options = {}) {
  Order order(options);
  EXPECT_TRUE(order.add(run.events));
  return order;
}

TEST(OrderLaws, BeforeIsTheClosureOfSynchronisation) {
  for (unsigned seed = 0; seed < kSeeds; seed++) {
    const RandomExecution run(seed, kLength);
    OrderOptions options;
    if (seed % 2) options.must = {EdgeKind::kThread, EdgeKind::kBarrier, EdgeKind::kOnce, EdgeKind::kChannel};
    const Order order = order_of(run, options);
    const std::vector<Past> all = happened_before(run, options.edges), must = happened_before(run, options.must);
    for (std::size_t i = 0; i < run.events.size(); i++)
      for (std::size_t j = 0; j < run.events.size(); j++) {
        const EventId a = run.ids[j], b = run.ids[i];
        ASSERT_EQ(order.before(a, b), all[i].test(j)) << "seed " << seed << ": " << j << " before " << i;
        ASSERT_EQ(order.before(a, b, Relation::kMust), must[i].test(j)) << "seed " << seed << ": " << j << ", " << i;
        ASSERT_EQ(order.concurrent(a, b), i != j && !all[i].test(j) && !all[j].test(i));
      }
  }
}

TEST(OrderLaws, BeforeIsAStrictPartialOrderThatTheExecutionExtends) {
  for (unsigned seed = 0; seed < kSeeds; seed++) {
    const RandomExecution run(seed, 50);
    const Order order = order_of(run);
    const auto before = [&](std::size_t i, std::size_t j) { return order.before(run.ids[i], run.ids[j]); };
    for (std::size_t i = 0; i < run.events.size(); i++)
      for (std::size_t j = 0; j < run.events.size(); j++) {
        ASSERT_TRUE(i < j || !before(i, j)) << "seed " << seed;
        ASSERT_TRUE(!order.before(run.ids[i], run.ids[j], Relation::kMust) || before(i, j)) << "seed " << seed;
        for (std::size_t k = 0; before(i, j) && k < run.events.size(); k++)
          ASSERT_TRUE(!before(j, k) || before(i, k)) << "seed " << seed;
      }
  }
}

TEST(OrderLaws, EdgesAndThreadsSayEverything) {
  for (unsigned seed = 0; seed < kSeeds; seed++) {
    const RandomExecution run(seed, kLength);
    const Order order = order_of(run);
    std::map<EventId, std::size_t> position;
    for (std::size_t i = 0; i < run.ids.size(); i++) position[run.ids[i]] = i;
    std::vector<Past> past(run.events.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < run.events.size(); i++) {
      const auto behind = [&](std::size_t j) { past[i] |= past[j], past[i].set(j); };
      for (std::size_t j = 0; j < i; j++)
        if (run.events[j].thread == run.events[i].thread) behind(j);
      for (; next < order.edges() && order.edge(next).to == run.ids[i]; next++)
        behind(position.at(order.edge(next).from));
      for (std::size_t j = 0; j < i; j++)
        ASSERT_EQ(order.before(run.ids[j], run.ids[i]), past[i].test(j)) << "seed " << seed << ": " << j << ", " << i;
    }
    EXPECT_EQ(next, order.edges());
  }
}

TEST(OrderLaws, AReadReadsFromTheLastWriteOfEachByte) {
  for (unsigned seed = 0; seed < kSeeds; seed++) {
    const RandomExecution run(seed, kLength);
    const Order order = order_of(run);
    std::map<std::uint64_t, EventId> last;
    for (std::size_t i = 0; i < run.events.size(); i++) {
      const HeddleEvent& e = run.events[i];
      const auto at = memory_of(e);
      std::map<std::uint64_t, EventId> sees, told;
      if (at && reads_memory(e))
        for (std::uint64_t byte = at->first; byte <= at->last; byte++)
          if (last.contains(byte)) sees[byte] = last[byte];
      for (const ReadPart& part : order.reads_from(run.ids[i]))
        for (std::uint64_t k = 0; k < part.size; k++)
          ASSERT_TRUE(told.emplace(at->first + part.offset + k, part.write).second) << "parts overlap";
      ASSERT_EQ(told, sees) << "seed " << seed << ", event " << i;
      if (!at) continue;
      for (std::uint64_t byte = at->first; byte <= at->last; byte++) {
        if (writes_memory(e)) last[byte] = run.ids[i];
        if (e.kind == HEDDLE_EV_MALLOC) last.erase(byte);
      }
    }
  }
}

TEST(OrderLaws, EveryConflictIsAChainOfNeighbours) {
  for (unsigned seed = 0; seed < kSeeds; seed++) {
    const RandomExecution run(seed, kLength);
    const Order order = order_of(run);
    std::map<EventId, std::size_t> position;
    for (std::size_t i = 0; i < run.ids.size(); i++) position[run.ids[i]] = i;
    std::vector<std::vector<std::size_t>> before(run.events.size());
    for (std::size_t i = 0; i < order.conflicts(); i++) {
      const Conflict c = order.conflict(i);
      const std::size_t a = position.at(c.first), b = position.at(c.second);
      const HeddleEvent &first = run.events[a], &second = run.events[b];
      ASSERT_LT(a, b);
      ASSERT_NE(first.thread, second.thread);
      ASSERT_TRUE(touch(first, second));
      ASSERT_TRUE(c.kind == ConflictKind::kReadWrite ? reads_memory(first) : writes_memory(first));
      ASSERT_TRUE(c.kind == ConflictKind::kWriteRead ? reads_memory(second) : writes_memory(second));
      before[b].push_back(a);
    }
    std::vector<Past> past(run.events.size());
    for (std::size_t i = 0; i < run.events.size(); i++) {
      for (std::size_t j = 0; j < i; j++)
        if (run.events[j].thread == run.events[i].thread) before[i].push_back(j);
      for (std::size_t j : before[i]) past[i] |= past[j], past[i].set(j);
      std::vector<bool> mine = bytes_of(run.events[i]);  // those that were not allocated anew since
      for (std::size_t j = i; j-- > 0;) {
        const HeddleEvent &a = run.events[j], &b = run.events[i];
        const std::vector<bool> theirs = bytes_of(a);
        bool common = false;
        for (std::size_t byte = 0; byte < mine.size(); byte++) common |= mine[byte] && theirs[byte];
        if (a.kind == HEDDLE_EV_MALLOC)
          for (std::size_t byte = 0; byte < mine.size(); byte++) mine[byte] = mine[byte] && !theirs[byte];
        if (b.kind == HEDDLE_EV_MALLOC || a.kind == HEDDLE_EV_MALLOC) continue;
        const bool conflict = common && (writes_memory(a) || writes_memory(b));
        ASSERT_TRUE(!conflict || past[i].test(j)) << "seed " << seed << ": " << j << ", " << i;
      }
    }
  }
}

/// As run.observe tells it: without results.
HeddleDecision decision_of(const HeddleEvent& event) {
  HeddleDecision out{};
  out.address = event.address;
  out.name = event.thread + 1u;
  out.site = event.site;
  out.object = event.object;
  out.thread = event.thread;
  out.kind = event.kind;
  return out;
}

TEST(OrderLaws, LockSetsAreWhatTheModelHeldAndMoreThanDecisionsProve) {
  for (unsigned seed = 0; seed < kSeeds; seed++) {
    const RandomExecution run(seed, kLength);
    const Order order = order_of(run);
    LockHolders holders;
    for (std::size_t i = 0; i < run.events.size(); i++) {
      const std::span<const HeldLock> held = order.locks_held(run.ids[i]);
      ASSERT_TRUE(std::ranges::equal(held, run.held[i])) << "seed " << seed << ", event " << i;
      for (std::uint32_t lock : holders.held(run.events[i].thread))
        ASSERT_NE(std::ranges::find(held, lock, &HeldLock::object), held.end()) << "seed " << seed << ", event " << i;
      holders.execute(decision_of(run.events[i]));
    }
  }
}

TEST(OrderLaws, WhatExcludesEachOtherWasOrderedByTheLock) {
  for (unsigned seed = 0; seed < kSeeds; seed++) {
    const RandomExecution run(seed, kLength);
    const Order order = order_of(run);
    for (std::size_t i = 0; i < run.events.size(); i++)
      for (std::size_t j = 0; j < i; j++) {
        if (!order.exclude_each_other(run.ids[j], run.ids[i])) continue;
        ASSERT_TRUE(order.before(run.ids[j], run.ids[i])) << "seed " << seed << ": " << j << ", " << i;
      }
  }
}

TEST(OrderLaws, HowEventsComeInPiecesDoesNotMatter) {
  for (unsigned seed = 0; seed < 20; seed++) {
    const RandomExecution run(seed, kLength);
    const Order whole = order_of(run);
    Order pieces;
    for (const HeddleEvent& event : run.events) ASSERT_TRUE(pieces.add({&event, 1}));
    ASSERT_EQ(whole.edges(), pieces.edges());
    for (std::size_t i = 0; i < whole.edges(); i++) ASSERT_EQ(whole.edge(i), pieces.edge(i));
    ASSERT_EQ(whole.conflicts(), pieces.conflicts());
    for (std::size_t i = 0; i < whole.conflicts(); i++) ASSERT_EQ(whole.conflict(i), pieces.conflict(i));
  }
}

}  // namespace
}  // namespace heddle
