// What decides the outcome of a recording's replay: which of its events have to be points, so that a schedule of points
// alone executes all accesses in an order with the same results.
//
// Two conflicting accesses a (of thread A) and b (of B, later) keep their order in every run that takes the points in
// the same order, if A has a point behind a, and B one in front of b that comes later than that: between two points a
// thread runs by itself. Where that does not hold, the sites of both accesses become points.
#pragma once
#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "abi/events.h"
#include "abi/region.h"

namespace heddle {

class PointOrder {
 public:
  /// Events of a replay by places, with all accesses, in order; `object` of an access of a record clone is its number
  /// in its group. False: there are more than `most` events, and what follows was not looked at.
  bool add(std::span<const HeddleEvent> events, std::uint64_t most);

  /// Sites of plain accesses that have to be points.
  const std::set<std::uint32_t>& racy() const { return racy_; }
  /// One more, for a reason of the caller's.
  void make_point(std::uint32_t site) { racy_.insert(site); }
  /// The order of all points: steps of the model, atomic operations, and accesses at sites of racy().
  std::vector<HeddleSegment> schedule() const;
  /// Of each thread: the sites of its plain accesses, in order.
  std::vector<std::vector<std::uint32_t>> accesses() const;

 private:
  using Time = std::uint64_t;  // position in the order of events
  struct Access {
    std::uint16_t thread;
    std::uint8_t bytes;  // which ones of its eight
    bool writes, is_point;
    std::uint32_t site;
    Time time;
  };
  struct Seen {
    std::uint32_t site;
    std::uint16_t thread;
    bool always;  // a point whatever is racy
    bool first;   // of its group, which is one point at most
  };

  void access(const HeddleEvent& e, bool is_point);
  void touch(std::uint64_t word, const Access& access);
  bool in_order(const Access& before, const Access& after) const;

  Time now_ = 0;
  std::vector<std::vector<Time>> points_;  // of each thread, ascending
  std::unordered_map<std::uint64_t, std::vector<Access>>
      words_;  // the latest accesses of each thread to eight bytes of memory
  std::vector<Seen> seen_;
  std::set<std::uint32_t> racy_;
};

}  // namespace heddle
