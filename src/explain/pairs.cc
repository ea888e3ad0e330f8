#include "src/explain/pairs.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle {
namespace {

class Finder {
 public:
  explicit Finder(const Observed& run) : run_(run) {}

  std::vector<Pair> find() {
    for (std::size_t i = 0; i < run_.order().conflicts(); i++) {
      const Conflict conflict = run_.order().conflict(i);
      add(PairKind::kAccess, run_.at(conflict.first), run_.at(conflict.second));
    }
    signals();
    if (run_.order().conflicts() == 0) regions();
    if (run_.head().failure)
      for (const DeadlockEdge& edge : run_.head().failure->deadlock) acquisition(edge);
    std::ranges::stable_sort(out_, [](const Pair& a, const Pair& b) {
      return a.second != b.second ? a.second > b.second : a.first > b.first;  // kNowhere: behind all that happened
    });
    return std::move(out_);
  }

 private:
  bool reversible(At first, At second) const {
    // Threads do not come before their creation, whatever the schedule.
    return run_[first].thread != run_[second].thread && !must_.before(run_.id(first), run_.id(second));
  }

  void add(PairKind kind, At first, At second) {
    if (!reversible(first, second)) return;
    const bool excluded = run_.order().exclude_each_other(run_.id(first), run_.id(second));
    const auto thread = [&](At at) { return std::uint32_t{run_[at].thread}; };
    const std::uint32_t own = run_.actions(first) - std::min(run_.actions(first), 1u);
    const Target target{thread(second), excluded ? run_.behind_region(second) : run_.actions(second)};
    keep({kind, first, second, {thread(first), excluded ? run_.before_region(first) : own}, target});
    // The other thread may need a lock that the first one has there.
    if (!excluded && run_.before_region(first) != own)
      keep({kind, first, second, {thread(first), run_.before_region(first)}, target});
  }

  /// Pairs that are reversed by the same schedule are tried once: as the one nearest to the failure.
  void keep(const Pair& pair) {
    auto [known, is_new] = by_reversal_.try_emplace({pair.hold, pair.target}, out_.size());
    if (is_new)
      out_.push_back(pair);
    else if (out_[known->second].second < pair.second)
      out_[known->second] = pair;
  }

  /// Neighbours on one object: each signal with the next wait of each other thread, and the other way round.
  void signals() {
    std::map<std::uint32_t, std::map<std::uint16_t, At>> signalled, waited;
    for (At at = 0; at < run_.size(); at++) {
      const HeddleEvent& event = run_[at];
      if (event.object == 0) continue;
      const HeddleEventClass c = heddle_event_class(event.kind);
      if (c == HEDDLE_C_SIGNAL) {
        for (const auto& [thread, wait] : waited[event.object]) add(PairKind::kSignal, wait, at);
        signalled[event.object][event.thread] = at;
      } else if (c == HEDDLE_C_WAIT || c == HEDDLE_C_TRY_AWAIT) {
        for (const auto& [thread, signal] : signalled[event.object]) add(PairKind::kSignal, signal, at);
        waited[event.object][event.thread] = at;
      }
    }
  }

  /// Of a program whose accesses are not seen: critical sections of one lock, neighbours of different threads.
  void regions() {
    std::map<std::uint32_t, At> last;  // acquisition, by object
    for (At at = 0; at < run_.size(); at++) {
      const HeddleEventClass c = heddle_event_class(run_[at].kind);
      if (c != HEDDLE_C_ACQUIRE || run_[at].object == 0) continue;
      const auto before = last.find(run_[at].object);
      if (before != last.end() && reversible(before->second, at)) {
        const At first = before->second;
        keep({PairKind::kAccess, first, at, {run_[first].thread, run_.before_region(first)},
              {run_[at].thread, run_.behind_region(at)}});
      }
      last[run_[at].object] = at;
    }
  }

  std::uint32_t thread_named(const std::string& name) const {
    const auto& threads = run_.head().threads;
    const auto found = std::ranges::find(threads, name, &ThreadRecord::name);
    return static_cast<std::uint32_t>(found - threads.begin());
  }

  /// The holder waits before its first lock until the other thread has had what it waits for.
  void acquisition(const DeadlockEdge& edge) {
    const std::uint32_t waits = thread_named(edge.thread), holds = thread_named(edge.holder);
    if (waits >= run_.head().threads.size() || holds >= run_.head().threads.size() || edge.object_id == 0) return;
    for (At at = run_.size(); at-- > 0;) {
      const HeddleEvent& event = run_[at];
      if (event.thread != holds || event.object != edge.object_id) continue;
      const HeddleEventClass c = heddle_event_class(event.kind);
      if (c != HEDDLE_C_ACQUIRE && c != HEDDLE_C_TRY_ACQUIRE && c != HEDDLE_C_SHARED_ACQUIRE &&
          c != HEDDLE_C_TRY_EITHER)
        continue;
      keep({PairKind::kAcquisition, at, kNowhere, {holds, run_.before_region(at)}, {waits, kAsLongAsItCan}});
      return;
    }
  }

  static Order creation_order(const Observed& run) {
    Order out({.edges = {EdgeKind::kThread}, .must = {EdgeKind::kThread}, .memory = false});
    (void)out.add(run.events());
    return out;
  }

  const Observed& run_;
  const Order must_ = creation_order(run_);
  std::vector<Pair> out_;
  std::map<std::pair<Hold, Target>, std::size_t> by_reversal_;
};

}  // namespace

std::vector<Pair> pairs_of(const Observed& failing) { return Finder(failing).find(); }

std::vector<Pair> delays_of(const Observed& failing, std::size_t most) {
  std::vector<Pair> out;
  const TraceHead& head = failing.head();
  if (!head.failure) return out;
  std::set<std::string> names{head.failure->thread};
  for (const DeadlockEdge& edge : head.failure->deadlock) names.insert({edge.thread, edge.holder});
  for (std::uint32_t thread = 0; thread < head.threads.size(); thread++) {
    if (!names.contains(head.threads[thread].name)) continue;
    std::size_t count = 0;
    for (At at = failing.size(); at-- > 0 && count < most;) {
      if (failing[at].thread != thread || !(failing[at].flags & HEDDLE_EF_POINT)) continue;
      out.push_back({PairKind::kDelay, at, kNowhere, {thread, failing.actions(at) - 1}, {thread, kAsLongAsItCan}});
      count++;
    }
  }
  std::ranges::stable_sort(out, [](const Pair& a, const Pair& b) { return a.first > b.first; });
  return out;
}

}  // namespace heddle
