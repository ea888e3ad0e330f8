// Law: whatever the threads did, executing the points in the computed order, each with the code behind it up to the
// thread's next point, leaves all conflicting accesses in the order in which they happened.
#include "src/lift/order.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle {
namespace {

struct Op {
  bool is_step = false, writes = false;
  std::uint64_t address = 0;
  std::uint32_t site = 0, in_group = 0;
  std::uint64_t happened = 0;  // its place in the order
};
using Threads = std::vector<std::vector<Op>>;

HeddleEvent event_of(const Op& op, std::uint16_t thread) {
  HeddleEvent e{};
  e.thread = thread;
  e.kind = op.is_step ? HEDDLE_EV_MUTEX_LOCK : op.writes ? HEDDLE_EV_WRITE : HEDDLE_EV_READ;
  e.flags = op.is_step ? HEDDLE_EF_POINT : 2;  // four bytes
  e.site = op.site;
  e.address = op.address;
  e.object = op.is_step ? 1 : op.in_group;
  return e;
}

/// Ops of a group are next to each other in the order, as one hook tells of them.
std::vector<HeddleEvent> interleaved(Threads& threads, std::mt19937& random) {
  std::vector<HeddleEvent> out;
  std::vector<std::size_t> at(threads.size());
  for (std::size_t left = threads.size(); left > 0;) {
    const std::size_t t = random() % threads.size();
    if (at[t] == threads[t].size()) continue;
    do {
      Op& op = threads[t][at[t]++];
      op.happened = out.size();
      out.push_back(event_of(op, static_cast<std::uint16_t>(t)));
    } while (at[t] < threads[t].size() && threads[t][at[t]].in_group > 0);
    left -= at[t] == threads[t].size();
  }
  return out;
}

Threads some_threads(std::mt19937& random) {
  Threads threads(2 + random() % 3);
  for (std::size_t t = 0; t < threads.size(); t++) {
    threads[t].push_back({.is_step = true});
    for (std::size_t n = random() % 12; n > 0; n--) {
      if (random() % 3 == 0) {
        threads[t].push_back({.is_step = true});
        continue;
      }
      for (std::uint32_t i = 0, group = 1 + random() % 3; i < group; i++)
        threads[t].push_back({.writes = random() % 2 == 0,
                              .address = 64 + 4 * (random() % 4),
                              .site = static_cast<std::uint32_t>(1 + t * 100 + threads[t].size()),
                              .in_group = i});
    }
  }
  return threads;
}

/// The ops in the order in which a run under control executes them.
std::vector<const Op*> executed(const Threads& threads, const PointOrder& order) {
  const auto is_point = [&](const std::vector<Op>& ops, std::size_t i) {
    if (ops[i].is_step) return true;
    // A group is one point, if any of its accesses is racy, in front of all of them.
    if (ops[i].in_group > 0) return false;
    for (std::size_t k = i; k < ops.size() && (k == i || ops[k].in_group > 0); k++)
      if (order.racy().contains(ops[k].site)) return true;
    return false;
  };
  std::vector<const Op*> out;
  std::vector<std::size_t> at(threads.size());
  for (const HeddleSegment& segment : order.schedule())
    for (std::uint32_t step = 0; step < segment.steps; step++) {
      const std::vector<Op>& ops = threads[segment.thread];
      std::size_t& i = at[segment.thread];
      EXPECT_LT(i, ops.size());
      if (i < ops.size()) EXPECT_TRUE(is_point(ops, i));
      do
        if (i < ops.size()) out.push_back(&ops[i++]);
      while (i < ops.size() && !is_point(ops, i));
    }
  for (std::size_t t = 0; t < threads.size(); t++) EXPECT_EQ(at[t], threads[t].size());
  return out;
}

TEST(PointOrder, ConflictingAccessesKeepTheirOrder) {
  for (unsigned seed = 0; seed < 3000; seed++) {
    std::mt19937 random(seed);
    Threads threads = some_threads(random);
    const std::vector<HeddleEvent> events = interleaved(threads, random);
    PointOrder order;
    ASSERT_TRUE(order.add(events, 1000));
    const std::vector<const Op*> again = executed(threads, order);
    for (std::size_t i = 0; i < again.size(); i++)
      for (std::size_t k = i + 1; k < again.size(); k++) {
        const Op &a = *again[i], &b = *again[k];
        if (a.is_step || b.is_step || a.address != b.address || !(a.writes || b.writes)) continue;
        ASSERT_LT(a.happened, b.happened) << "seed " << seed;
      }
  }
}

TEST(PointOrder, AccessesThatLocksKeepApartAreNoPoints) {
  Threads threads(2);
  for (std::uint32_t t = 0; t < 2; t++)
    threads[t] = {{.is_step = true}, {.writes = true, .address = 64, .site = 1 + t}, {.is_step = true}};
  std::vector<HeddleEvent> events;
  for (std::uint16_t t = 0; t < 2; t++)
    for (const Op& op : threads[t]) events.push_back(event_of(op, t));
  PointOrder order;
  ASSERT_TRUE(order.add(events, 1000));
  EXPECT_TRUE(order.racy().empty());
  EXPECT_EQ(order.schedule().size(), 2u);
}

TEST(PointOrder, NeighboursInOneWordDoNotConflict) {
  PointOrder order;
  const std::vector<HeddleEvent> events{event_of({.writes = true, .address = 64, .site = 1}, 0),
                                        event_of({.writes = true, .address = 68, .site = 2}, 1)};
  ASSERT_TRUE(order.add(events, 1000));
  EXPECT_TRUE(order.racy().empty());
}

TEST(PointOrder, MoreEventsThanAllowedAreRefused) {
  PointOrder order;
  const std::vector<HeddleEvent> events(5, event_of({.is_step = true}, 0));
  EXPECT_FALSE(order.add(events, 4));
}

}  // namespace
}  // namespace heddle
