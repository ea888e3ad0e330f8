#include "src/hunt/potential_races.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "abi/region.h"
#include "src/hunt/lock_holders.h"

namespace heddle {
namespace {

constexpr std::size_t kThreads = 64, kMostAtOnePlace = 64;
using Clock = std::array<std::uint32_t, kThreads>;

bool is_plain(std::uint32_t kind) {
  const std::uint32_t properties = heddle_event_properties(kind);
  return properties & HEDDLE_P_ACCESS && !(properties & HEDDLE_P_SYNC);
}

class Finder {
 public:
  void add(const HeddleDecision& event) {
    if (event.thread >= kThreads) return;
    const auto [name, is_new] = names_.emplace(event.name, event.thread);
    if (is_new) clocks_[event.thread][event.thread] = 1;
    locks_.execute(event);
    switch (event.kind) {
      case HEDDLE_EV_THREAD_CREATE:
        created_[event.thread].push_back(clocks_[event.thread]);
        clocks_[event.thread][event.thread]++;
        break;
      case HEDDLE_EV_THREAD_START:
        begin(event);
        break;
      case HEDDLE_EV_THREAD_JOIN:
        if (event.address < kThreads) join(clocks_[event.thread], clocks_[event.address]);
        break;
      case HEDDLE_EV_MUTEX_LOCK:
      case HEDDLE_EV_MUTEX_TRYLOCK:
      case HEDDLE_EV_SPIN_LOCK:
      case HEDDLE_EV_SPIN_TRYLOCK:
        known_locks_.insert(event.object);
        break;
      case HEDDLE_EV_RW_RDLOCK:
      case HEDDLE_EV_RW_WRLOCK:
        if (!(event.flags & HEDDLE_DECISION_TIMED)) shared_[event.thread].insert(event.object);
        break;
      case HEDDLE_EV_RW_UNLOCK:
        shared_[event.thread].erase(event.object);
        break;
      default:
        if (heddle_event_properties(event.kind) & HEDDLE_P_ACCESS) access(event);
    }
  }
  std::vector<std::uint32_t> sites() const { return {sites_.begin(), sites_.end()}; }

 private:
  struct Access {
    std::uint16_t thread;
    std::uint32_t time, site, kind;
    std::set<std::uint32_t> locks;
    bool operator==(const Access&) const = default;
  };

  static void join(Clock& into, const Clock& from) {
    for (std::size_t i = 0; i < kThreads; i++) into[i] = std::max(into[i], from[i]);
  }
  // Which of its creator's children it is, is not told: behind the first creation that nobody claimed.
  void begin(const HeddleDecision& event) {
    const auto creator = names_.find(static_cast<std::uint32_t>(event.creator));
    if (creator == names_.end() || created_[creator->second].empty()) return;
    join(clocks_[event.thread], created_[creator->second].front());
    created_[creator->second].pop_front();
  }
  std::set<std::uint32_t> held(std::uint32_t thread) const {
    std::set<std::uint32_t> out = shared_[thread];
    for (std::uint32_t lock : known_locks_)
      if (locks_.holds(thread, lock)) out.insert(lock);
    return out;
  }
  void access(const HeddleDecision& event) {
    const Clock& now = clocks_[event.thread];
    Access access{event.thread, now[event.thread], event.site, event.kind, held(event.thread)};
    std::vector<Access>& others = places_[event.address];
    for (const Access& other : others)
      if (conflict(access, other) && other.time > now[other.thread]) note(access), note(other);
    if (others.size() < kMostAtOnePlace && std::ranges::find(others, access) == others.end())
      others.push_back(std::move(access));
  }
  static bool conflict(const Access& a, const Access& b) {
    const auto writes = [](const Access& x) { return heddle_event_properties(x.kind) & HEDDLE_P_WRITE; };
    return a.thread != b.thread && (writes(a) || writes(b)) &&
           std::ranges::none_of(a.locks, [&](std::uint32_t lock) { return b.locks.contains(lock); });
  }
  void note(const Access& access) {
    if (access.site && is_plain(access.kind)) sites_.insert(access.site);
  }

  LockHolders locks_;
  std::set<std::uint32_t> known_locks_;
  std::array<std::set<std::uint32_t>, kThreads> shared_;  // read-write locks, by thread
  std::array<Clock, kThreads> clocks_{};
  std::array<std::deque<Clock>, kThreads> created_;        // by creator: when it made each of its threads
  std::unordered_map<std::uint32_t, std::uint16_t> names_;  // hash of a thread's name -> its index
  std::map<std::uint64_t, std::vector<Access>> places_;     // by address
  std::set<std::uint32_t> sites_;
};

}  // namespace

std::vector<std::uint32_t> potential_races(std::span<const HeddleDecision> decisions) {
  Finder finder;
  for (const HeddleDecision& decision : decisions) finder.add(decision);
  return finder.sites();
}

}  // namespace heddle
