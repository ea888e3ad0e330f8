#include "src/show/spans.h"

#include <algorithm>

#include "src/show/names.h"

namespace heddle {
namespace {
constexpr std::size_t kMaxHolds = 1u << 16;

bool takes_alone(const HeddleEvent& e) {
  const EventClass c = heddle_event_class(e.kind);
  return (c == HEDDLE_C_ACQUIRE || c == HEDDLE_C_TRY_ACQUIRE) && !(e.flags & HEDDLE_EF_FAILED);
}
}  // namespace

bool takes_a_lock(const HeddleEvent& e) {
  return acquires(heddle_event_class(e.kind)) && !(e.flags & HEDDLE_EF_FAILED);
}

bool gives_a_lock_back(const HeddleEvent& e) { return heddle_event_class(e.kind) == HEDDLE_C_RELEASE; }

MomentaryLocks::MomentaryLocks(const TraceHead& head) : recorded_(head.meta.source != TraceSource::kHunted) {
  if (!recorded_) return;  // under control libc's locks are no steps
  for (const ObjectRecord& o : head.objects) {
    if (o.origin == NameOrigin::kLibc || o.origin == NameOrigin::kRuntime) of_libc_.insert(o.id);
    if (o.origin == NameOrigin::kNumber) nameless_.insert(o.id);
  }
  // Of these the model knew at the end that they were held.
  if (head.failure)
    for (const DeadlockEdge& edge : head.failure->deadlock)
      if (!edge.holder.empty()) nameless_.erase(edge.object_id);
}

void MomentaryLocks::add(const HeddleEvent& e) {
  if (!recorded_ || seen_.size() >= kMaxHolds) return;
  if (e.kind == HEDDLE_EV_COND_WAIT && (e.flags & HEDDLE_EF_VALUE))
    seen_[static_cast<std::uint32_t>(e.value)].given_back = true;
  if (e.object == 0) return;
  if (e.kind == HEDDLE_EV_MUTEX_LOCK) ++seen_[e.object].taken;
  if (gives_a_lock_back(e)) seen_[e.object].given_back = true;
}

bool MomentaryLocks::contains(std::uint32_t object) const {
  const auto it = seen_.find(object);
  if (it == seen_.end() || it->second.given_back || it->second.taken == 0) return false;
  // Taken again and never given back: a recursive mutex may be, but a claim needs more than that.
  return it->second.taken > 1 || of_libc_.contains(object) || nameless_.contains(object);
}

void Spans::wait_before(std::uint64_t index, const HeddleEvent& e, const Thread& t) {
  // Others ran in between, and not because the scheduler preferred them: it could not, or did not want to, go on.
  const bool left = t.seen && t.last + 1 < index && !(e.flags & HEDDLE_EF_PREEMPTED);
  if (!left || !(kind_properties(e.kind) & (HEDDLE_P_MAYBLOCK | HEDDLE_P_YIELDS))) return;
  take_({.kind = Span::Kind::Wait, .from = t.last + 1, .to = index, .cause = e});
}

void Spans::acquire(std::uint64_t index, const HeddleEvent& e, std::uint32_t object, std::uint32_t times, Thread& t) {
  if (momentary_ != nullptr && momentary_->contains(object)) return;
  forget_other_holder(e, object);
  if (holds_.size() >= kMaxHolds) return;
  Hold& hold = holds_[{e.thread, object}];
  if (hold.depth == 0) {
    hold.from = index;
    hold.cause = e;
    hold.cause.object = object;
    t.held.push_back(object);
  }
  hold.depth += times;
}

void Spans::forget_other_holder(const HeddleEvent& e, std::uint32_t object) {
  // Whoever is woken has its mutex again, and that alone.
  if (!takes_alone(e) && e.kind != HEDDLE_EV_COND_WAKE) return;
  const auto it = alone_.find(object);
  if (it != alone_.end() && it->second != e.thread && holds_.erase({it->second, object}) > 0)
    std::erase(threads_[it->second].held, object);
  if (it != alone_.end())
    it->second = e.thread;
  else if (alone_.size() < kMaxHolds)
    alone_.emplace(object, e.thread);
}

std::uint32_t Spans::release(std::uint64_t index, std::uint16_t owner, std::uint32_t object, bool all, Thread& t) {
  const auto it = holds_.find({owner, object});
  if (it == holds_.end()) return 0;
  const std::uint32_t depth = it->second.depth;
  if (!all && --it->second.depth > 0) return depth;
  take_({.kind = Span::Kind::Held, .from = it->second.from, .to = index + 1, .cause = it->second.cause});
  holds_.erase(it);
  std::erase(t.held, object);
  return depth;
}

void Spans::add(std::uint64_t index, const HeddleEvent& e) {
  if (e.thread >= threads_.size()) threads_.resize(e.thread + 1u);
  Thread& t = threads_[e.thread];
  wait_before(index, e, t);
  if (e.object != 0 && takes_a_lock(e)) acquire(index, e, e.object, 1, t);
  if (e.object != 0 && gives_a_lock_back(e)) release(index, e.thread, e.object, false, t);
  if (e.kind == HEDDLE_EV_COND_WAIT) {
    // The event names the mutex in its value; older traces do not: then it is the one that was taken last.
    const auto named = static_cast<std::uint32_t>((e.flags & HEDDLE_EF_VALUE) ? e.value : 0);
    t.given_up = named != 0 ? named : t.held.empty() ? 0 : t.held.back();
    t.given_up_depth = release(index, e.thread, t.given_up, true, t);
  } else if (e.kind == HEDDLE_EV_COND_WAKE && t.given_up_depth > 0) {
    acquire(index, e, t.given_up, t.given_up_depth, t);
    t.given_up_depth = 0;
  }
  t.last = index;
  t.seen = true;
}

void Spans::finish(std::uint64_t end) {
  for (const auto& [key, hold] : holds_)
    take_({.kind = Span::Kind::Held, .from = hold.from, .to = end, .cause = hold.cause, .ended = false});
  holds_.clear();
}

}  // namespace heddle
