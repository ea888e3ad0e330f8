#include "src/hunt/dpor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>

#include "src/hunt/observation.h"

namespace heddle {
namespace {

constexpr std::size_t kLongest = 4000;  // steps: looking for races is quadratic

enum class Family { kNone, kMutex, kFutex, kIo, kAny };
Family family(std::uint32_t kind) {
  switch (kind) {
    case HEDDLE_EV_COND_WAIT:
    case HEDDLE_EV_COND_WAKE:
      return Family::kMutex;
    case HEDDLE_EV_FUTEX_WAIT:
    case HEDDLE_EV_FUTEX_WOKEN:
    case HEDDLE_EV_FUTEX_WAKE:
      return Family::kFutex;
    case HEDDLE_EV_IO_LEAVE:
    case HEDDLE_EV_IO_RETURN:
    case HEDDLE_EV_IO_CALL:
      return Family::kIo;
    case HEDDLE_EV_FORK:
    case HEDDLE_EV_EXIT:
    case HEDDLE_EV_THREAD_CANCEL:
    case HEDDLE_EV_SUSPEND:
      return Family::kAny;
    default:
      return Family::kNone;
  }
}

bool touches(Family family, std::uint32_t kind) {
  switch (family) {
    case Family::kNone:
      return false;
    case Family::kMutex:
      return kind >= HEDDLE_EV_MUTEX_LOCK && kind <= HEDDLE_EV_COND_BROADCAST;
    case Family::kFutex:
      return (kind >= HEDDLE_EV_ATOMIC_LOAD && kind <= HEDDLE_EV_ATOMIC_CAS) ||
             (kind >= HEDDLE_EV_FUTEX_WAIT && kind <= HEDDLE_EV_FUTEX_WAKE);
    case Family::kIo:
      return kind == HEDDLE_EV_IO_LEAVE || kind == HEDDLE_EV_IO_RETURN || kind == HEDDLE_EV_IO_CALL;
    case Family::kAny:
      return event_properties(kind) & HEDDLE_P_SYNC;
  }
  return true;
}

// While one of them can be executed the other cannot: their order cannot be turned round here.
bool exclude_each_other(const HeddleEvent& a, const HeddleEvent& b) {
  auto is = [&](std::uint32_t one, std::uint32_t other) {
    return (a.kind == one && b.kind == other) || (a.kind == other && b.kind == one);
  };
  return a.object && a.object == b.object &&
         (is(HEDDLE_EV_MUTEX_LOCK, HEDDLE_EV_MUTEX_UNLOCK) || is(HEDDLE_EV_SPIN_LOCK, HEDDLE_EV_SPIN_UNLOCK) ||
          is(HEDDLE_EV_MUTEX_UNLOCK, HEDDLE_EV_MUTEX_UNLOCK));
}

void join(std::array<std::uint32_t, 64>& into, const std::array<std::uint32_t, 64>& from) {
  for (std::size_t i = 0; i < into.size(); i++) into[i] = std::max(into[i], from[i]);
}

}  // namespace

bool dependent(const HeddleEvent& a, const HeddleEvent& b) {
  if (touches(family(a.kind), b.kind) || touches(family(b.kind), a.kind)) return true;
  const std::uint64_t place = place_of(a);
  if (!place || place != place_of(b)) return false;
  return (event_properties(a.kind) | event_properties(b.kind)) & HEDDLE_P_WRITE;
}

void Dpor::restart() { *this = {}; }

std::optional<Prefix> Dpor::next() {
  if (too_large_) return std::nullopt;
  if (!started_) {
    started_ = true;
    return Prefix{};
  }
  while (!nodes_.empty()) {
    Node& node = nodes_.back();
    std::uint64_t asleep = 0;
    for (const HeddleEvent& event : node.sleep) asleep |= 1ull << event.thread;
    if (std::uint64_t open = node.backtrack & node.enabled & ~node.done & ~asleep) {
      then_ = static_cast<std::uint16_t>(std::countr_zero(open));
      node.done |= 1ull << then_;
      std::vector<std::uint16_t> threads;
      for (const Node& before : nodes_) threads.push_back(before.chosen.thread);
      return prefix_of(threads, threads.size() - 1, then_);
    }
    nodes_.pop_back();
  }
  complete_ = true;
  return std::nullopt;
}

std::size_t Dpor::extend(std::span<const HeddleEvent> decisions) {
  if (!nodes_.empty()) nodes_.back().chosen = decisions[nodes_.size() - 1];
  for (std::size_t at = nodes_.size(); at < decisions.size(); at++) {
    Node node;
    node.chosen = decisions[at];
    node.enabled = decisions[at].value;
    if (at > 0) {
      const Node& before = nodes_.back();
      for (const auto* list : {&before.sleep, &before.tried})
        for (const HeddleEvent& event : *list)
          if (event.thread != before.chosen.thread && !dependent(event, before.chosen)) node.sleep.push_back(event);
    }
    const bool asleep =
        std::ranges::any_of(node.sleep, [&](const HeddleEvent& event) { return event.thread == node.chosen.thread; });
    if (asleep) {  // the run went where others have been: from here on it shows nothing new, but another thread may
      std::uint64_t sleeping = 0;
      for (const HeddleEvent& event : node.sleep) sleeping |= 1ull << event.thread;
      if (std::uint64_t awake = node.enabled & ~sleeping) node.backtrack = awake & -awake;
      nodes_.push_back(std::move(node));
      return at;
    }
    node.backtrack = node.done = 1ull << node.chosen.thread;
    nodes_.push_back(std::move(node));
  }
  return decisions.size();
}

// `later` races with `earlier`: some thread that can begin what leads to the other order is tried before `earlier`.
// These are the initials of the source-set paper: threads whose first step between the two that does not depend on
// `earlier` needs none of the others there.
void Dpor::race(const Trace& trace, std::size_t earlier, std::size_t later, const Clock& at_later) {
  if (earlier >= nodes_.size()) return;
  Node& node = nodes_[earlier];
  std::vector<std::size_t> between;
  for (std::size_t k = earlier + 1; k < std::min(later, trace.known); k++)
    if (!trace.before(earlier, trace.after[k])) between.push_back(k);
  between.push_back(later);
  std::uint64_t initials = 0, met = 0;
  for (std::size_t n = 0; n < between.size(); n++) {
    const std::size_t k = between[n];
    const std::uint16_t thread = trace.decisions[k].thread;
    if (met >> thread & 1) continue;
    met |= 1ull << thread;
    const Clock& clock = k == later ? at_later : trace.after[k];
    bool first = true;
    for (std::size_t m = 0; m < n && first; m++) first = !trace.before(between[m], clock);
    if (first) initials |= 1ull << thread;
  }
  initials &= node.enabled;
  if (initials & node.backtrack) return;
  node.backtrack |= initials ? initials & -initials : node.enabled;
}

void Dpor::find_races(std::span<const HeddleEvent> decisions, std::size_t redundant) {
  Trace trace{decisions, std::vector<Clock>(decisions.size()), redundant};
  std::array<Clock, 64> last{};  // by thread
  std::map<std::uint16_t, Clock> ended;
  std::uint64_t known = 1;  // threads that could run at some time
  std::array<std::uint32_t, 64> steps{};
  std::array<bool, 64> asked{};
  for (std::size_t j = 0; j < decisions.size(); j++) {
    const HeddleEvent& event = decisions[j];
    // Of the redundant rest, what each thread would have done next counts: it may race with what was before.
    if (j >= redundant && std::exchange(asked[event.thread], true)) continue;
    // A new thread begins behind what its creator has done; that was the step just before it could run.
    for (std::uint64_t fresh = event.value & ~known; fresh; fresh &= fresh - 1)
      if (j > 0 && j <= redundant) last[static_cast<std::size_t>(std::countr_zero(fresh))] = trace.after[j - 1];
    known |= event.value;
    if (event.kind == HEDDLE_EV_THREAD_JOIN)
      if (auto gone = ended.find(static_cast<std::uint16_t>(event.address)); gone != ended.end())
        join(last[event.thread], gone->second);
    Clock now = last[event.thread], covered = now;  // covered: by a step that can be turned round itself
    std::vector<std::size_t> races;
    for (std::size_t i = std::min(j, redundant); i-- > 0;) {
      const HeddleEvent& other = decisions[i];
      if (other.thread == event.thread || !dependent(other, event)) continue;
      join(now, trace.after[i]);
      if (exclude_each_other(other, event)) continue;
      if (!trace.before(i, covered)) races.push_back(i);
      join(covered, trace.after[i]);
    }
    now[event.thread] = steps[event.thread] + 1;
    for (std::size_t i : races) race(trace, i, j, now);
    if (j >= redundant) continue;
    steps[event.thread]++;
    trace.after[j] = last[event.thread] = now;
    if (event.kind == HEDDLE_EV_THREAD_EXIT) ended[event.thread] = now;
  }
}

void Dpor::learn(std::span<const HeddleEvent> decisions) {
  if (decisions.size() > kLongest) {
    too_large_ = true;
    return;
  }
  for (const HeddleEvent& decision : decisions)
    if (decision.thread >= 64 || decision.flags & HEDDLE_OF_MORE) {
      too_large_ = true;
      return;
    }
  bool followed = decisions.size() >= nodes_.size();
  for (std::size_t i = 0; followed && i < nodes_.size(); i++)
    followed = decisions[i].thread == (i + 1 == nodes_.size() ? then_ : nodes_[i].chosen.thread);
  if (!followed) {
    trouble_ = true;
    return;
  }
  if (!nodes_.empty() && nodes_.back().chosen.thread != then_) nodes_.back().tried.push_back(nodes_.back().chosen);
  find_races(decisions, extend(decisions));
}

}  // namespace heddle
