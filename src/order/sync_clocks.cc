#include "src/order/sync_clocks.h"

#include <algorithm>
#include <utility>

#include "src/trace/kinds.h"

namespace heddle {

SyncClocks::Thread& SyncClocks::of(std::uint16_t thread) {
  if (thread >= threads_.size()) threads_.resize(thread + 1u);
  return threads_[thread];
}

void SyncClocks::close_epoch(std::uint16_t thread) {
  if (std::ranges::find(closed_, thread) != closed_.end()) return;
  Thread& t = of(thread);
  t.clock.set(thread, ++t.epochs);
  closed_.push_back(thread);
}

void SyncClocks::acquire(std::uint16_t thread, const Meeting& meeting, EdgeKind kind) {
  Thread& t = of(thread);
  for (const Release& release : meeting.latest)
    if (release.thread != thread && t.clock[release.thread] < release.epochs)
      into_.push_back({release.thread, release.n, kind});
  t.clock.join(meeting.clock, [&](std::size_t other, std::uint32_t epochs) {
    raised_.push_back({static_cast<std::uint16_t>(other), epochs});
  });
}

void SyncClocks::release(std::uint16_t thread, std::uint32_t n, Meeting& meeting) {
  close_epoch(thread);
  const Thread& t = threads_[thread];
  std::erase_if(meeting.latest, [&](const Release& release) { return t.clock[release.thread] >= release.epochs; });
  meeting.latest.push_back({thread, n, t.epochs});
  meeting.clock.join(t.clock);
}

void SyncClocks::create(const HeddleEvent& event, std::uint32_t n) {
  if (source_ == EventSource::kTrace && event.flags & HEDDLE_EF_FAILED) return;
  Created created{event.thread, {}};
  release(event.thread, n, created.meeting);
  if (source_ == EventSource::kTrace && event.flags & HEDDLE_EF_VALUE && event.value <= 0xffff)
    children_[static_cast<std::uint16_t>(event.value)] = std::move(created);
  else
    nameless_.push_back(std::move(created));
}

// Which of the creations that name nobody made this thread is not told: the first one that nobody has claimed. Of a
// decision the creator is known by name.
void SyncClocks::begin(const HeddleEvent& event) {
  Created created;
  if (const auto named = children_.find(event.thread); named != children_.end()) {
    created = std::move(named->second);
    children_.erase(named);
  } else {
    auto it = nameless_.begin();
    if (source_ == EventSource::kDecisions) {
      const auto creator = names_.find(static_cast<std::uint32_t>(event.address));
      if (heddle_event_class(event.kind) != HEDDLE_C_START || creator == names_.end()) return;
      it = std::ranges::find(nameless_, creator->second, &Created::creator);
    }
    if (it == nameless_.end()) return;
    created = std::move(*it);
    nameless_.erase(it);
  }
  birth_ = {created.creator, created.meeting.latest.front().n};
  is_birth_ = true;
  acquire(event.thread, created.meeting, EdgeKind::kThread);
  raised_.clear();
}

void SyncClocks::join(const HeddleEvent& event) {
  if (source_ == EventSource::kTrace && event.flags & HEDDLE_EF_FAILED) return;
  if (event.address >= threads_.size() || event.address == event.thread) return;
  const auto ended = static_cast<std::uint16_t>(event.address);
  if (!threads_[ended].begun) return;
  Meeting meeting;
  release(ended, threads_[ended].next - 1, meeting);
  acquire(event.thread, meeting, EdgeKind::kThread);
}

void SyncClocks::lock(const HeddleEvent& event) {
  Object& object = objects_[event.object];
  acquire(event.thread, object.alone, EdgeKind::kLock);
  if (heddle_object_class(event.kind) != HEDDLE_O_RWLOCK) return;
  const HeddleEventClass c = heddle_event_class(event.kind);
  const bool told = source_ == EventSource::kTrace && event.flags & HEDDLE_EF_VALUE;
  const bool shared = c == HEDDLE_C_SHARED_ACQUIRE || (c == HEDDLE_C_TRY_EITHER && told && event.value == 0);
  if (!shared) acquire(event.thread, object.shared, EdgeKind::kLock);
}

void SyncClocks::unlock(const HeddleEvent& event, std::uint32_t n, const LockSets* locks) {
  Object& object = objects_[event.object];
  const bool shared = locks && locks->surely_shares(event.thread, event.object);
  release(event.thread, n, shared ? object.shared : object.alone);  // behind `alone` comes everybody
}

void SyncClocks::condition(const HeddleEvent& event, std::uint32_t n, const LockSets* locks) {
  const HeddleEventClass c = heddle_event_class(event.kind);
  if (c == HEDDLE_C_WAIT && edges_.has(EdgeKind::kLock) && locks)
    if (const std::uint32_t mutex = locks->mutex_of_wait(event)) {
      given_up_[event.thread] = mutex;
      release(event.thread, n, objects_[mutex].alone);
    }
  if (c == HEDDLE_C_AWAIT)
    if (const auto mutex = given_up_.find(event.thread); mutex != given_up_.end()) {
      acquire(event.thread, objects_[mutex->second].alone, EdgeKind::kLock);
      given_up_.erase(mutex);
    }
  if (event.object != 0 && edges_.has(EdgeKind::kCondition)) meet(event, n, EdgeKind::kCondition);
}

void SyncClocks::meet(const HeddleEvent& event, std::uint32_t n, EdgeKind kind) {
  const HeddleEventClass c = heddle_event_class(event.kind);
  if (c == HEDDLE_C_SIGNAL) release(event.thread, n, objects_[event.object].alone);
  if ((c == HEDDLE_C_AWAIT || c == HEDDLE_C_TRY_AWAIT) && outcome(event, source_) != Outcome::kFailed)
    acquire(event.thread, objects_[event.object].alone, kind);
}

void SyncClocks::end_round(Barrier& barrier) {
  const auto round = std::make_shared<const Meeting>(std::exchange(barrier.open, {}));
  for (std::uint16_t thread : std::exchange(barrier.inside, {})) barrier.rounds[thread] = round;
}

// Only those who arrived in a round are ordered by it. Older traces do not tell how many make a round: it is over when
// somebody leaves.
void SyncClocks::barrier(const HeddleEvent& event, std::uint32_t n) {
  Barrier& barrier = barriers_[event.object];
  if (heddle_event_class(event.kind) == HEDDLE_C_SIGNAL) {
    release(event.thread, n, barrier.open);
    barrier.inside.push_back(event.thread);
    const bool told = source_ == EventSource::kTrace && event.flags & HEDDLE_EF_VALUE;
    if (told && event.value != 0 && barrier.inside.size() >= event.value) end_round(barrier);
    return;
  }
  if (!barrier.rounds.contains(event.thread)) end_round(barrier);
  const auto round = barrier.rounds.find(event.thread);
  if (round == barrier.rounds.end()) return;
  acquire(event.thread, *round->second, EdgeKind::kBarrier);
  barrier.rounds.erase(round);
}

// A store begins a sequence, which read-modify-writes continue.
void SyncClocks::atomic(const HeddleEvent& event, std::uint32_t n) {
  std::optional<ByteRange> at;
  bool reads = reads_memory(event), writes = (heddle_event_properties(event.kind) & HEDDLE_P_WRITE) != 0;
  if (source_ == EventSource::kTrace) {
    at = memory_of(event);
    writes = writes_memory(event);
  } else if (const HeddlePlace place = place_of(event); place.space == HEDDLE_SPACE_MEMORY) {
    at = ByteRange{place.first, place.last};
  }
  if (!at) return;
  if (reads)
    atomics_.each(at->first, at->last, [&](std::uint64_t, std::uint64_t, const Meeting& meeting) {
      acquire(event.thread, meeting, EdgeKind::kAtomic);
    });
  if (!writes) return;
  if (!reads) {
    Meeting fresh;
    release(event.thread, n, fresh);
    return atomics_.assign(at->first, at->last, std::move(fresh));
  }
  atomics_.each(at->first, at->last,
                [&](std::uint64_t, std::uint64_t, Meeting& meeting) { release(event.thread, n, meeting); });
}

void SyncClocks::channel(const HeddleEvent& event, std::uint32_t n) {
  const HeddleEventClass c = heddle_event_class(event.kind);
  if (c != HEDDLE_C_LEAVE) acquire(event.thread, channel_, EdgeKind::kChannel);
  if (c == HEDDLE_C_CALL || c == HEDDLE_C_LEAVE) release(event.thread, n, channel_);
}

void SyncClocks::object(const HeddleEvent& event, std::uint32_t n, const LockSets* locks) {
  const HeddleEventClass c = heddle_event_class(event.kind);
  const auto wanted = [&](EdgeKind kind) { return event.object != 0 && edges_.has(kind); };
  switch (heddle_object_class(event.kind)) {
    case HEDDLE_O_MUTEX:
    case HEDDLE_O_RWLOCK:
    case HEDDLE_O_SPINLOCK:
      if (!wanted(EdgeKind::kLock) || outcome(event, source_) == Outcome::kFailed) return;
      return c == HEDDLE_C_RELEASE ? unlock(event, n, locks) : lock(event);
    case HEDDLE_O_CONDITION:
      return condition(event, n, locks);
    case HEDDLE_O_SEMAPHORE:
      return wanted(EdgeKind::kSemaphore) ? meet(event, n, EdgeKind::kSemaphore) : void();
    case HEDDLE_O_BARRIER:
      return wanted(EdgeKind::kBarrier) ? barrier(event, n) : void();
    case HEDDLE_O_ONCE:
      return wanted(EdgeKind::kOnce) ? meet(event, n, EdgeKind::kOnce) : void();
    case HEDDLE_O_FUTEX:
      return wanted(EdgeKind::kFutex) ? meet(event, n, EdgeKind::kFutex) : void();
    default:
      return;
  }
}

void SyncClocks::execute(const HeddleEvent& event, std::uint32_t n, const LockSets* locks) {
  into_.clear();
  raised_.clear();
  closed_.clear();
  is_birth_ = false;
  Thread& thread = of(event.thread);
  const bool first = !std::exchange(thread.begun, true);
  thread.next = n + 1;
  if (source_ == EventSource::kDecisions) names_.try_emplace(event.stack, event.thread);
  if (first && edges_.has(EdgeKind::kThread)) begin(event);
  switch (heddle_event_class(event.kind)) {
    case HEDDLE_C_CREATE:
      return edges_.has(EdgeKind::kThread) ? create(event, n) : void();
    case HEDDLE_C_JOIN:
      return edges_.has(EdgeKind::kThread) ? join(event) : void();
    case HEDDLE_C_ATOMIC:
      return edges_.has(EdgeKind::kAtomic) ? atomic(event, n) : void();
    case HEDDLE_C_ALLOCATE:
      if (const std::optional<ByteRange> at = memory_of(event)) atomics_.erase(at->first, at->last);
      return;
    case HEDDLE_C_CALL:
    case HEDDLE_C_LEAVE:
    case HEDDLE_C_RETURN:
    case HEDDLE_C_HANDLER:
      return edges_.has(EdgeKind::kChannel) ? channel(event, n) : void();
    default:
      return object(event, n, locks);
  }
}

}  // namespace heddle
