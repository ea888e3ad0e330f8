#include "src/explain/verdict.h"

#include <algorithm>
#include <optional>

#include "src/failure/wait_cycle.h"
#include "src/order/operation.h"

namespace heddle {
namespace {

using ThreadIndex = std::uint16_t;

/// Conflicting pairs of the failing execution by thread: a from one thread to another one.
struct Sandwich {
  At first, between, last;  // first and last of one thread
};

bool is_wait_for_signal(WaitKind wait) {
  return wait == WaitKind::kSignal || wait == WaitKind::kWakeUp || wait == WaitKind::kSemaphore;
}

/// Does the alternate execution keep the other thread's event from between the two?
bool apart(const Observed& failing, const Observed& alternate, const Sandwich& s) {
  const At first = alternate.same(failing, s.first), between = alternate.same(failing, s.between),
           last = alternate.same(failing, s.last);
  if (first == kNowhere || between == kNowhere || last == kNowhere) return true;
  return between < first || last < between;
}

/// Would the same values result if the access in between came before or behind both others? Of one variable: all but
/// R-W-R, R-W-W, W-W-R and W-R-W.
bool is_serializable(const Observed& run, const Sandwich& s) {
  const bool first = writes_memory(run[s.first]), between = writes_memory(run[s.between]), last = writes_memory(run[s.last]);
  return between ? first && last : !(first && last);
}

/// Accesses of one thread between which another thread's access came that conflicts with the first, and (the same or
/// another one of that thread) with the last: the two threads' regions cannot be brought into a row. Section 2.2 of the
/// thesis calls that an atomicity violation; with two variables it is the multi-variable case.
void find_sandwich(const Observed& failing, const Observed& alternate, const Reordered& pair,
                   std::optional<Sandwich>& best) {
  if (pair.second == kNowhere) return;
  const ThreadIndex a = failing[pair.first].thread, b = failing[pair.second].thread;
  const auto rank = [&](const Sandwich& s) { return std::pair(is_serializable(failing, s), s.last - s.first); };
  const auto keep = [&](const Sandwich& s) {
    if (!apart(failing, alternate, s)) return;
    if (!best || rank(s) < rank(*best)) best = s;  // the narrowest
  };
  for (std::size_t i = 0; i < failing.order().conflicts(); i++) {
    const Conflict conflict = failing.order().conflict(i);
    const At from = failing.at(conflict.first), to = failing.at(conflict.second);
    // first (A) -> second (B), then B -> A behind it: B is between two accesses of A.
    if (failing[from].thread == b && failing[to].thread == a && to > pair.second && from >= pair.second &&
        to > pair.first)
      keep({pair.first, pair.second, to}), keep({pair.first, from, to});
    // B -> A before it: A is between two accesses of B.
    if (failing[from].thread == b && failing[to].thread == a && from < pair.first && to <= pair.first)
      keep({from, pair.first, pair.second});
  }
}

/// The pair and the others of the same two threads, which were reversed with it.
std::optional<Sandwich> find_sandwich(const Observed& failing, const Observed& alternate, const Reordered& pair,
                                      const Comparison& comparison) {
  std::optional<Sandwich> best;
  find_sandwich(failing, alternate, pair, best);
  if (pair.second == kNowhere) return best;
  const auto together = [&](At x, At y) {
    return failing[x].thread == failing[y].thread;
  };
  for (const Reordered& other : comparison.reordered)
    if (other.second != kNowhere && together(other.first, pair.first) && together(other.second, pair.second))
      find_sandwich(failing, alternate, other, best);
  return best;
}

std::optional<At> acquisition_of(const Observed& run, const std::string& thread, std::uint32_t object) {
  for (At at = run.size(); at-- > 0;) {
    const HeddleEvent& event = run[at];
    if (event.object != object || event.thread >= run.head().threads.size()) continue;
    if (run.head().threads[event.thread].name != thread) continue;
    const HeddleEventClass c = heddle_event_class(event.kind);
    if (c == HEDDLE_C_ACQUIRE || c == HEDDLE_C_TRY_ACQUIRE || c == HEDDLE_C_SHARED_ACQUIRE || c == HEDDLE_C_TRY_EITHER)
      return at;
  }
  return std::nullopt;
}

/// The last event of a class on an object, of a thread or of all.
std::optional<At> last_of(const Observed& run, HeddleEventClass event_class, std::uint32_t object,
                          const std::string& thread) {
  for (At at = run.size(); at-- > 0;) {
    const HeddleEvent& event = run[at];
    if (event.object != object || heddle_event_class(event.kind) != event_class) continue;
    if (thread.empty() || (event.thread < run.head().threads.size() && run.head().threads[event.thread].name == thread))
      return at;
  }
  return std::nullopt;
}

/// The last signal before the wait, if nobody waited when it was sent: it woke nobody.
std::optional<At> lost_signal(const Observed& run, At wait) {
  std::optional<At> signal;
  bool lost = false;
  std::size_t waiting = 0;
  for (At at = 0; at < wait; at++) {
    if (run[at].object != run[wait].object) continue;
    const HeddleEventClass c = heddle_event_class(run[at].kind);
    if (c == HEDDLE_C_WAIT) waiting++;
    if (c == HEDDLE_C_AWAIT && waiting > 0) waiting--;
    if (c == HEDDLE_C_SIGNAL) signal = at, lost = waiting == 0 && run[at].thread != run[wait].thread;
  }
  return lost ? signal : std::nullopt;
}

Verdict of_deadlock(const Observed& failing) {
  Verdict out;
  const FailureRecord& failure = *failing.head().failure;
  out.edges = find_cycle(failure.deadlock);
  const bool cycle = !out.edges.empty();
  if (!cycle) out.edges = root_edges(failure.deadlock);
  out.pattern = Pattern::kDeadlock;
  for (const std::size_t i : out.edges) {
    const DeadlockEdge& edge = failure.deadlock[i];
    if (edge.object_id == 0) continue;
    if (cycle) {
      if (auto taken = acquisition_of(failing, edge.holder, edge.object_id)) out.events.push_back(*taken);
      continue;
    }
    if (!is_wait_for_signal(edge.wait)) continue;
    out.pattern = Pattern::kLostWakeUp;
    const auto wait = last_of(failing, HEDDLE_C_WAIT, edge.object_id, edge.thread);
    const auto signal = wait ? lost_signal(failing, *wait) : std::nullopt;
    if (!signal) continue;
    out.signal_was_lost = true;
    out.events = {*signal, *wait};
    return out;
  }
  std::ranges::sort(out.events);
  out.events.erase(std::ranges::unique(out.events).begin(), out.events.end());
  return out;
}

}  // namespace

std::string_view token(Pattern pattern) {
  switch (pattern) {
    case Pattern::kAtomicity: return "atomicity";
    case Pattern::kOrder: return "order";
    case Pattern::kDeadlock: return "deadlock";
    case Pattern::kLostWakeUp: return "lost wake-up";
    case Pattern::kLivelock: return "livelock";
    case Pattern::kUnknown: break;
  }
  return "unknown";
}

Verdict verdict_of(const Observed& failing) {
  if (!failing.head().failure) return {};
  if (failing.head().failure->kind == HEDDLE_FAIL_DEADLOCK) return of_deadlock(failing);
  if (failing.head().failure->kind == HEDDLE_FAIL_LIVELOCK) return {Pattern::kLivelock, {}, {}};
  return {};
}

Verdict verdict_of(const Observed& failing, const Observed& alternate, const Comparison& comparison,
                   const Pair& reversed) {
  Verdict out = verdict_of(failing);
  if (out.pattern == Pattern::kDeadlock || out.pattern == Pattern::kLostWakeUp) return out;
  // Others follow from the pair that the search reversed. A delay reversed none: then from the nearest to the failure.
  Reordered pair{reversed.first, reversed.second, kNowhere, kNowhere};
  if (reversed.kind == PairKind::kDelay) {
    if (!comparison.reordered.empty())
      pair = comparison.reordered.front();
    else if (!comparison.flows.empty() && comparison.flows.front().write_there != kNowhere)
      pair = {comparison.flows.front().read, kNowhere, comparison.flows.front().read_there,
              comparison.flows.front().write_there};
    else
      return out;
  }
  const auto sandwich = find_sandwich(failing, alternate, pair, comparison);
  if (out.pattern == Pattern::kUnknown) out.pattern = sandwich ? Pattern::kAtomicity : Pattern::kOrder;
  if (sandwich) {
    out.events = {sandwich->first, sandwich->between, sandwich->last};
    return out;
  }
  out.events = {pair.first};
  if (pair.second != kNowhere)
    out.events.push_back(pair.second);
  else if (pair.second_there != kNowhere)
    out.events_there = {pair.second_there};
  return out;
}

}  // namespace heddle
