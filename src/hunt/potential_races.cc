#include "src/hunt/potential_races.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "src/order/lock_holders.h"
#include "src/order/sync_clocks.h"

namespace heddle {
namespace {

constexpr std::size_t kThreads = 64, kMostAtOnePlace = 64;  // LockHolders knows no more threads

bool is_plain(std::uint32_t kind) {
  const HeddleEventClass c = heddle_event_class(kind);
  return c == HEDDLE_C_READ || c == HEDDLE_C_WRITE;
}

class Finder {
 public:
  void add(const HeddleEvent& event) {
    if (event.thread >= kThreads) return;
    locks_.execute(event);
    clocks_.execute(event, counts_[event.thread]++);
    if (heddle_event_properties(event.kind) & HEDDLE_P_ACCESS) access(event);
  }
  std::vector<std::uint32_t> sites() const { return {sites_.begin(), sites_.end()}; }

 private:
  struct Access {
    std::uint16_t thread;
    std::uint32_t epoch, site, kind;
    std::vector<std::uint32_t> locks;  // ascending
    bool operator==(const Access&) const = default;
  };

  void access(const HeddleEvent& event) {
    const Clock& before = clocks_.clock(event.thread);
    Access access{event.thread, clocks_.epoch(event.thread), event.site, event.kind, locks_.held(event.thread)};
    std::vector<Access>& others = places_[event.address];
    for (const Access& other : others)
      if (conflict(access, other) && other.epoch >= before[other.thread]) note(access), note(other);
    if (others.size() < kMostAtOnePlace && std::ranges::find(others, access) == others.end())
      others.push_back(std::move(access));
  }
  static bool conflict(const Access& a, const Access& b) {
    const auto writes = [](const Access& x) { return heddle_event_properties(x.kind) & HEDDLE_P_WRITE; };
    return a.thread != b.thread && (writes(a) || writes(b)) &&
           std::ranges::none_of(a.locks, [&](std::uint32_t lock) { return std::ranges::binary_search(b.locks, lock); });
  }
  void note(const Access& access) {
    if (access.site && is_plain(access.kind)) sites_.insert(access.site);
  }

  LockHolders locks_;
  SyncClocks clocks_{EventSource::kDecisions, {EdgeKind::kThread}};
  std::array<std::uint32_t, kThreads> counts_{};         // of events
  std::map<std::uint64_t, std::vector<Access>> places_;  // by address
  std::set<std::uint32_t> sites_;
};

}  // namespace

std::vector<std::uint32_t> potential_races(std::span<const HeddleEvent> decisions) {
  Finder finder;
  for (const HeddleEvent& decision : decisions) finder.add(decision);
  return finder.sites();
}

}  // namespace heddle
