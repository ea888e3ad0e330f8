#include "src/order/lock_holders.h"

#include <algorithm>

#include "src/order/operation.h"

namespace heddle {

bool LockHolders::holds(std::uint32_t thread, std::uint32_t lock) const {
  auto it = locks_.find(lock);
  return it != locks_.end() && it->second.holder == thread && !it->second.abandoned && !all_abandoned_;
}

// A call that waits as long as it takes, and has returned.
void LockHolders::take(Lock& lock, std::uint32_t thread) {
  lock.again = lock.holder != kNobody || !lock.known;
  lock.holder = thread;
}

// One that may have returned without.
void LockHolders::try_to_take(Lock& lock, std::uint32_t thread) {
  if (lock.holder == kNobody && lock.known) {
    lock.holder = thread;
    lock.again = false;
  } else if (lock.holder == thread) {
    lock.again = true;
  }
}

// Who does not hold it gets EPERM from some types and opens others.
void LockHolders::give_back(Lock& lock, std::uint32_t thread) {
  lock.known = lock.holder == thread && !lock.again;
  lock.holder = kNobody;
}

// One of its locks is given up, and which is not told; behind the wait it holds all of them again.
void LockHolders::begin_wait(std::uint32_t thread) {
  before_wait_[thread].clear();
  for (auto& [object, lock] : locks_) {
    if (lock.holder != thread) continue;
    before_wait_[thread].push_back(object);
    lock.holder = kNobody;
    lock.known = false;
  }
}

void LockHolders::end_wait(std::uint32_t thread) {
  for (std::uint32_t object : before_wait_[thread]) locks_[object] = {thread, true, true, locks_[object].abandoned};
}

void LockHolders::abandon(std::uint32_t lock) {
  if (lock == ~0u)
    all_abandoned_ = true;
  else if (lock)
    locks_[lock].abandoned = true;
}

void LockHolders::execute_rw(const HeddleEvent& decision) {
  switch (heddle_event_class(decision.kind)) {
    case HEDDLE_C_ACQUIRE:
    case HEDDLE_C_SHARED_ACQUIRE:
      if (outcome(decision, EventSource::kDecisions) == Outcome::kDone) rw_[decision.thread].insert(decision.object);
      return;
    case HEDDLE_C_RELEASE:
      rw_[decision.thread].erase(decision.object);
      return;
    default:  // tried: with what success is not known
      return;
  }
}

void LockHolders::execute(const HeddleEvent& decision) {
  const HeddleObjectClass object = heddle_object_class(decision.kind);
  if (object == HEDDLE_O_RWLOCK) return execute_rw(decision);
  switch (heddle_event_class(decision.kind)) {
    case HEDDLE_C_ACQUIRE:
    case HEDDLE_C_TRY_ACQUIRE:
      if (outcome(decision, EventSource::kDecisions) == Outcome::kUnknown)
        return try_to_take(locks_[decision.object], decision.thread);
      return take(locks_[decision.object], decision.thread);
    case HEDDLE_C_RELEASE:
      return give_back(locks_[decision.object], decision.thread);
    case HEDDLE_C_WAIT:
      if (object == HEDDLE_O_CONDITION) begin_wait(decision.thread);
      return;
    case HEDDLE_C_AWAIT:
      if (object == HEDDLE_O_CONDITION) end_wait(decision.thread);
      return;
    case HEDDLE_C_END:
      return abandon(decision.object);
    default:
      return;
  }
}

std::vector<std::uint32_t> LockHolders::held(std::uint32_t thread) const {
  std::vector<std::uint32_t> out(rw_[thread].begin(), rw_[thread].end());
  if (!all_abandoned_)
    for (const auto& [object, lock] : locks_)
      if (lock.holder == thread && !lock.abandoned) out.push_back(object);
  std::ranges::sort(out);
  return out;
}

}  // namespace heddle
