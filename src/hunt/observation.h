// What one run showed, from its decisions (run.observe): which write each read saw, the class of its happens-before
// order, and who touched what. Sites and thread names mean the same in every run; objects and addresses only within
// one. The class is a hash, made of what was at each place before: nothing of src/order's clocks, which answer
// questions about two events, would be cheaper, and no two runs have events in common of which to ask.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "abi/decision.h"
#include "abi/events.h"
#include "abi/region.h"
#include "src/order/byte_ranges.h"

namespace heddle {

using SitePair = std::pair<std::uint32_t, std::uint32_t>;

struct SiteUse {
  std::uint32_t site, thread;  // name
  std::uint32_t count, kind;
  bool operator==(const SiteUse&) const = default;
};

struct Observation {
  std::vector<SitePair> reads_from;  // distinct (write or release, read or acquire)
  std::uint64_t order = 0;           // equal for equal happens-before orders
  std::uint64_t shape = 0;           // equal for equal sets of reads-from pairs
  std::vector<SiteUse> uses;         // sites at which common memory or objects were touched
  std::vector<SitePair> together;  // distinct (a, b): sites of different threads at one place; each linked to the first
  std::vector<SitePair> contended;       // distinct (a, b): lock operations of different threads on one lock
  std::vector<SitePair> parents;         // (thread, its creator), names
  std::vector<HeddleDecision> decisions;    // when they were to be kept
  std::vector<HeddleDecision> pending;      // and what threads would have done next when the run ended
  std::optional<std::uint32_t> failing;  // the thread in which it failed
};

/// For one run at a time: on_decisions() as they come, then finish().
class Observer {
 public:
  /// Of the next runs: Observation::decisions.
  void keep_decisions(bool keep) { keep_ = keep; }
  void on_decisions(std::span<const HeddleDecision> decisions);
  Observation finish();

 private:
  struct Visit {
    std::uint32_t site, thread, kind;
  };
  struct Place {
    std::uint32_t writer = 0;   // site of the last write
    std::uint64_t written = 0;  // its hash
    std::uint64_t reads = 0;    // sum of the hashes of reads since then
    std::vector<Visit> visits;  // distinct
  };
  void find_places(const HeddleDecision& event);
  void access(const HeddleDecision& event);
  void visit(const HeddleDecision& event);
  template <class F>
  void each_place(F f) const;
  void contend(const Place& place, Observation& out) const;

  bool keep_ = false;
  Observation now_;
  std::unordered_map<std::uint64_t, Place> objects_;  // and threads
  ByteRanges<Place> memory_;                          // accesses that overlap in part divide it
  std::vector<Place*> here_;                          // where the current event is
  std::vector<std::uint64_t> before_;  // what was there; distinct, since how memory is divided means nothing
  std::unordered_map<std::uint64_t, std::uint32_t> counts_;  // by site and thread
  std::unordered_map<std::uint32_t, std::uint64_t> last_;    // by thread: hash of its last event
  std::uint64_t outside_ = 0;                                // hash of the last system call that others can notice
};

/// What each thread that is left would do next, as far as the run's record tells: the extent of an access is an upper
/// bound.
std::vector<HeddleDecision> pending_of(std::span<const HeddleThreadInfo> threads);
/// Steps behind which their thread had to let another one go first, though it could have gone on (it yields again and
/// again, or spins): orders that a machine may show and the run could not. A sleep is none, its end is a matter of
/// time.
std::vector<std::size_t> made_to_give_way(std::span<const HeddleDecision> decisions,
                                          std::span<const HeddleDecision> pending);
/// Did a thread have to that was not waiting: for the end of a system call, for a signal, or with a time-out?
bool yields_or_spins(std::span<const HeddleDecision> decisions, std::span<const HeddleDecision> pending);

}  // namespace heddle
