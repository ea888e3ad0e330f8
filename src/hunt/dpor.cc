#include "src/hunt/dpor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "src/hunt/observation.h"
#include "src/order/lock_holders.h"
#include "src/order/operation.h"

namespace heddle {
namespace {

// Flags of a decision, beside HEDDLE_DECISION_*:
constexpr std::uint8_t kFails = 64;  // it may be where the run failed
constexpr std::uint8_t kOwes = 128;  // behind it the thread must give way once
constexpr std::size_t kLongest = 4000;  // steps: looking for races is quadratic

// Operations that touch more than their place.
enum class Family : std::uint8_t { kNone, kMutex, kFutex, kIo, kAny };
constexpr Family family_of(HeddleEventClass c, HeddleObjectClass object) {
  switch (c) {
    case HEDDLE_C_WAIT:
    case HEDDLE_C_AWAIT:
      if (object == HEDDLE_O_CONDITION) return Family::kMutex;  // the mutex that goes with it is not told
      break;
    case HEDDLE_C_CALL:
    case HEDDLE_C_LEAVE:
    case HEDDLE_C_RETURN:
      return Family::kIo;
    case HEDDLE_C_PROCESS:
    case HEDDLE_C_SUSPEND:
      return Family::kAny;
    default:
      break;
  }
  return object == HEDDLE_O_FUTEX ? Family::kFutex : Family::kNone;
}

constexpr bool touches(Family family, HeddleEventClass c, HeddleObjectClass object) {
  switch (family) {
    case Family::kNone:
      return false;
    case Family::kMutex:
      return object == HEDDLE_O_MUTEX || object == HEDDLE_O_RWLOCK || object == HEDDLE_O_CONDITION;
    case Family::kFutex:  // it reads its word, and perhaps a second one
      return object == HEDDLE_O_FUTEX || c == HEDDLE_C_READ || c == HEDDLE_C_WRITE || c == HEDDLE_C_ATOMIC;
    case Family::kIo:
      return family_of(c, object) == Family::kIo;
    case Family::kAny:
      return true;
  }
  return true;
}

// By kind: every pair of steps of a run is looked at.
struct Reach {
  Family family;
  std::uint8_t touched_by;  // bits of families
};
constexpr Reach reach_of(HeddleEventClass c, HeddleObjectClass object) {
  Reach reach{family_of(c, object), 0};
  for (Family family : {Family::kMutex, Family::kFutex, Family::kIo, Family::kAny})
    if (touches(family, c, object)) reach.touched_by |= 1u << static_cast<unsigned>(family);
  return reach;
}
constexpr Reach kReach[] = {
#define HEDDLE_X(name, text, event_class, object, props) reach_of(event_class, object),
    HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
};
bool touches(std::uint32_t a, std::uint32_t b) {
  if (a >= HEDDLE_EV_COUNT || b >= HEDDLE_EV_COUNT) return false;
  return kReach[b].touched_by >> static_cast<unsigned>(kReach[a].family) & 1;
}

// The thread ends and leaves a robust mutex to whoever comes next.
bool leaves_locked(const HeddleDecision& exit, const HeddleDecision& other) {
  if (exit.kind != HEDDLE_EV_THREAD_EXIT || !exit.object) return false;
  if (other.kind >= HEDDLE_EV_COUNT) return false;
  const Reach reach = kReach[other.kind];
  if (!(reach.touched_by >> static_cast<unsigned>(Family::kMutex) & 1)) return false;
  return exit.object == HEDDLE_SEVERAL_OBJECTS || exit.object == other.object || reach.family == Family::kMutex;
}

// Who waits for a thread comes behind its end.
bool joins(const HeddleDecision& join, const HeddleDecision& exit) {
  return join.kind == HEDDLE_EV_THREAD_JOIN && exit.kind == HEDDLE_EV_THREAD_EXIT &&
         !(join.flags & (HEDDLE_DECISION_TRIES | HEDDLE_DECISION_TIMED));
}

// Of what only one thread at a time can have.
bool excludes(const HeddleDecision& event) {
  const HeddleObjectClass object = heddle_object_class(event.kind);
  return object == HEDDLE_O_MUTEX || object == HEDDLE_O_SPINLOCK;
}
bool locks(const HeddleDecision& event) {
  return heddle_event_class(event.kind) == HEDDLE_C_ACQUIRE && excludes(event);
}
bool unlocks(const HeddleDecision& event) {
  return heddle_event_class(event.kind) == HEDDLE_C_RELEASE && excludes(event);
}

}  // namespace

bool dependent(const HeddleDecision& a, const HeddleDecision& b) {
  if ((a.flags | b.flags) & (kFails | kOwes | HEDDLE_DECISION_HANDLER)) return true;
  if (touches(a.kind, b.kind) || touches(b.kind, a.kind)) return true;
  if (leaves_locked(a, b) || leaves_locked(b, a)) return true;
  return heddle_meet(place_of(a), place_of(b)) &&
         (heddle_event_properties(a.kind) | heddle_event_properties(b.kind)) & HEDDLE_P_WRITE;
}

std::uint64_t Dpor::Node::open() const {
  std::uint64_t asleep = 0;
  for (const HeddleDecision& event : sleep) asleep |= 1ull << event.thread;
  return backtrack & enabled & ~done & ~asleep;
}

std::uint64_t Dpor::waiting() const {
  std::uint64_t count = 0;
  for (const Node& node : nodes_) count += static_cast<std::uint64_t>(std::popcount(node.open()));
  return count;
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
    if (std::uint64_t open = node.open()) {
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

std::size_t Dpor::extend(std::span<const HeddleDecision> decisions) {
  if (!nodes_.empty()) nodes_.back().chosen = decisions[nodes_.size() - 1];
  for (std::size_t at = nodes_.size(); at < decisions.size(); at++) {
    Node node;
    node.chosen = decisions[at];
    node.enabled = decisions[at].enabled;
    if (at > 0) {
      const Node& before = nodes_.back();
      for (const auto* list : {&before.sleep, &before.tried})
        for (const HeddleDecision& event : *list)
          if (event.thread != before.chosen.thread && !dependent(event, before.chosen)) node.sleep.push_back(event);
    }
    // Any other thread pays what the one before owes, and who does is in no class: all are tried.
    if (at > 0 && decisions[at - 1].flags & kOwes) node.backtrack = node.enabled;
    const bool asleep = std::ranges::any_of(
        node.sleep, [&](const HeddleDecision& event) { return event.thread == node.chosen.thread; });
    if (asleep) {  // the run went where others have been: from here on it shows nothing new, but another thread may
      std::uint64_t sleeping = 0;
      for (const HeddleDecision& event : node.sleep) sleeping |= 1ull << event.thread;
      if (std::uint64_t awake = node.enabled & ~sleeping) node.backtrack |= awake & -awake;
      nodes_.push_back(std::move(node));
      return at;
    }
    node.done = 1ull << node.chosen.thread;
    node.backtrack |= node.done;
    nodes_.push_back(std::move(node));
  }
  return decisions.size();
}

// `later` races with `earlier`: some thread that can begin what leads to the other order is tried before `earlier`.
// These are the initials of the source-set paper: threads whose first step between the two that does not depend on
// `earlier` needs none of the others there.
void Dpor::race(const Trace& trace, std::size_t earlier, const HeddleDecision& event, std::size_t later,
                const StepClock& at_later) {
  if (earlier >= nodes_.size()) return;
  Node& node = nodes_[earlier];
  std::vector<std::size_t> between;
  for (std::size_t k = earlier + 1; k < std::min(later, trace.known); k++)
    if (!trace.before(earlier, trace.after[k])) between.push_back(k);
  between.push_back(later);
  std::uint64_t initials = 0, met = 0;
  for (std::size_t n = 0; n < between.size(); n++) {
    const std::size_t k = between[n];
    const std::uint16_t thread = k == later ? event.thread : trace.decisions[k].thread;
    if (met >> thread & 1) continue;
    met |= 1ull << thread;
    const StepClock& clock = k == later ? at_later : trace.after[k];
    bool first = true;
    for (std::size_t m = 0; m < n && first; m++) first = !trace.before(between[m], clock);
    if (first) initials |= 1ull << thread;
  }
  initials &= node.enabled;
  if (initials & node.backtrack) return;
  node.backtrack |= initials ? initials & -initials : node.enabled;
}

// While one of them can be executed the other cannot: their order cannot be turned round here. Of an unlock that is so
// only where its thread holds the lock (`later_releases`); any other can come at any time, and is refused.
bool Dpor::Trace::exclude_each_other(std::size_t earlier, const HeddleDecision& later, bool later_releases) const {
  const HeddleDecision& other = decisions[earlier];
  if (joins(other, later) || joins(later, other)) return true;
  if (!other.object || other.object != later.object) return false;
  if (unlocks(other) && !releases[earlier]) return false;
  if (unlocks(later) && !later_releases) return false;
  return (locks(other) && unlocks(later)) || (unlocks(other) && (locks(later) || unlocks(later)));
}

// `later` was pending before `earlier` and could not be executed, nor does anything beside `earlier` lead to that:
// their order cannot be turned round here. `beside`: by thread, up to which step of it everything between the two that
// `later` depends on came after.
bool Dpor::awaits(const Trace& trace, std::size_t earlier, const HeddleDecision& later, bool releases,
                  std::size_t pending_since, const StepClock& beside) const {
  const HeddleDecision& other = trace.decisions[earlier];
  if (trace.exclude_each_other(earlier, later, releases)) return true;
  if (pending_since > earlier || other.enabled >> later.thread & 1) return false;
  if (other.flags & HEDDLE_DECISION_GAVE_WAY && earlier > 0 && trace.decisions[earlier - 1].thread == later.thread)
    return false;
  return beside[other.thread] >= trace.after[earlier][other.thread];
}

void Dpor::find_races(std::span<const HeddleDecision> decisions, std::span<const HeddleDecision> pending,
                      std::size_t redundant) {
  Trace trace{decisions, std::vector<StepClock>(decisions.size()), std::vector<bool>(decisions.size()), redundant};
  LockHolders holders;
  std::array<StepClock, 64> last{};         // by thread
  std::array<std::size_t, 64> since{};  // by thread: the step behind its last one
  std::uint64_t known = 1;              // threads that could run at some time
  std::array<std::uint32_t, 64> steps{};
  std::array<bool, 64> asked{};
  for (std::size_t j = 0; j < decisions.size() + pending.size(); j++) {
    const bool executed = j < redundant;
    const HeddleDecision& event = j < decisions.size() ? decisions[j] : pending[j - decisions.size()];
    // Of the redundant rest, what each thread would have done next counts: it may race with what was before. So does
    // what was never executed.
    if (!executed && std::exchange(asked[event.thread], true)) continue;
    // A new thread begins behind what its creator has done; that was the step just before it could run.
    if (j < decisions.size()) {
      for (std::uint64_t fresh = event.enabled & ~known; fresh; fresh &= fresh - 1) {
        const auto thread = static_cast<std::size_t>(std::countr_zero(fresh));
        since[thread] = j;
        if (j > 0 && j <= redundant) last[thread] = trace.after[j - 1];
      }
      known |= event.enabled;
    }
    const bool releases = unlocks(event) && holders.holds(event.thread, event.object);
    const bool may_block = heddle_event_properties(event.kind) & HEDDLE_P_MAYBLOCK;
    StepClock now = last[event.thread], covered = now;  // covered: by a step that can be turned round itself
    StepClock beside;
    beside.fill(~0u);
    std::vector<std::size_t> races;
    for (std::size_t i = std::min(j, redundant); i-- > 0;) {
      const HeddleDecision& other = decisions[i];
      if (other.thread == event.thread || !dependent(other, event)) continue;
      now.join(trace.after[i]);
      const bool turns = !awaits(trace, i, event, releases, since[event.thread], beside);
      beside.meet(trace.after[i]);
      if (!turns) continue;
      if (!trace.before(i, covered)) races.push_back(i);
      // Of what may have to wait it is known only where it could be executed that nothing before matters.
      if (!may_block || (since[event.thread] <= i && other.enabled >> event.thread & 1)) covered.join(trace.after[i]);
    }
    now.set(event.thread, steps[event.thread] + 1);
    for (std::size_t i : races) race(trace, i, event, j, now);
    if (!executed) continue;
    steps[event.thread]++;
    since[event.thread] = j + 1;
    trace.after[j] = last[event.thread] = now;
    trace.releases[j] = releases;
    holders.execute(event);
  }
  // The run ended with its last step: who could have gone before it has not been seen to do so.
  if (!decisions.empty() && redundant == decisions.size())
    for (const HeddleDecision& event : pending) nodes_[redundant - 1].backtrack |= 1ull << event.thread;
}

namespace {

// A failure ends the run, and which step of the thread began it is not known (an assertion that fails still writes its
// message, with locks): before each of them others could have failed.
void mark_failing(std::vector<HeddleDecision>& decisions, std::uint32_t failing) {
  for (HeddleDecision& event : decisions)
    if (event.thread == failing) event.flags |= kFails;
}

// A step behind which its thread must give way: what others do before it does not count and what they do behind it
// does, so the order of the two matters, whatever they touch.
void mark_owing(std::vector<HeddleDecision>& decisions, std::span<const HeddleDecision> pending) {
  for (std::size_t step : made_to_give_way(decisions, pending)) decisions[step].flags |= kOwes;
}

}  // namespace

void Dpor::learn(std::span<const HeddleDecision> run, std::span<const HeddleDecision> pending,
                 std::optional<std::uint32_t> failing) {
  if (run.size() > kLongest) {
    too_large_ = true;
    return;
  }
  for (std::span<const HeddleDecision> events : {run, pending})
    for (const HeddleDecision& event : events) too_large_ |= event.thread >= 64 || event.flags & HEDDLE_DECISION_MORE;
  if (too_large_) return;
  std::vector<HeddleDecision> decisions(run.begin(), run.end());
  if (failing) mark_failing(decisions, *failing);
  mark_owing(decisions, pending);
  bool followed = decisions.size() >= nodes_.size();
  for (std::size_t i = 0; followed && i < nodes_.size(); i++)
    followed = decisions[i].thread == (i + 1 == nodes_.size() ? then_ : nodes_[i].chosen.thread);
  if (!followed) {
    trouble_ = true;
    return;
  }
  if (!nodes_.empty() && nodes_.back().chosen.thread != then_) nodes_.back().tried.push_back(nodes_.back().chosen);
  find_races(decisions, pending, extend(decisions));
}

}  // namespace heddle
