#include "src/hunt/lock_holders.h"

#include "abi/region.h"

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
  if (lock == HEDDLE_SEVERAL_OBJECTS)
    all_abandoned_ = true;
  else if (lock)
    locks_[lock].abandoned = true;
}

void LockHolders::execute(const HeddleDecision& decision) {
  switch (decision.kind) {
    case HEDDLE_EV_MUTEX_LOCK:
    case HEDDLE_EV_SPIN_LOCK:
      if (decision.flags & HEDDLE_DECISION_TIMED) return try_to_take(locks_[decision.object], decision.thread);
      return take(locks_[decision.object], decision.thread);
    case HEDDLE_EV_MUTEX_TRYLOCK:
    case HEDDLE_EV_SPIN_TRYLOCK:
      return try_to_take(locks_[decision.object], decision.thread);
    case HEDDLE_EV_MUTEX_UNLOCK:
    case HEDDLE_EV_SPIN_UNLOCK:
      return give_back(locks_[decision.object], decision.thread);
    case HEDDLE_EV_COND_WAIT:
      return begin_wait(decision.thread);
    case HEDDLE_EV_COND_WAKE:
      return end_wait(decision.thread);
    case HEDDLE_EV_THREAD_EXIT:
      return abandon(decision.object);
    default:
      return;
  }
}

}  // namespace heddle
