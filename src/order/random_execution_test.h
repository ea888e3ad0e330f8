// Traces of random programs, which a small model of the primitives executes: what it did to locks and barriers is kept
// beside the events, for tests of what src/order makes of the events alone.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "abi/events.h"
#include "src/order/lock_sets.h"

namespace heddle {

class RandomExecution {
 public:
  RandomExecution(unsigned seed, std::size_t length) : random_(seed) {
    threads_.resize(1);
    threads_[0].exists = true;
    for (std::size_t tries = 0; events.size() < length && tries < 20 * length; tries++)
      step(static_cast<std::uint16_t>(random_() % threads_.size()));
  }

  std::vector<HeddleEvent> events;
  std::vector<std::vector<HeldLock>> held;  // by event, of its thread before it
  std::vector<unsigned> round;              // by event: of the barrier
  std::vector<EventId> ids;

 private:
  // 1-3 mutexes (3: recursive), 4 spinlock, 5-6 read-write locks, 7 condition, 8 semaphore, 9 barrier, 10 once, 11
  // futex
  static constexpr std::uint32_t kRecursive = 3, kSpin = 4, kRw = 5, kCondition = 7, kSemaphore = 8, kBarrier = 9,
                                 kOnce = 10, kFutex = 11, kRound = 2;
  struct Thread {
    bool exists = false, started = false, ended = false;
    std::map<std::uint32_t, std::pair<LockMode, unsigned>> locks;  // and how often
    std::uint32_t waits = 0;                                       // the mutex that it gave up
    unsigned depth = 0;
    std::optional<unsigned> leaves;  // a round
    bool initialises = false;
    std::uint64_t events = 0;
  };

  HeddleEvent& emit(std::uint16_t thread, std::uint32_t kind, std::uint32_t object = 0, std::uint64_t address = 0) {
    HeddleEvent event{};
    event.thread = thread;
    event.kind = static_cast<std::uint8_t>(kind);
    event.object = object;
    event.address = address;
    std::vector<HeldLock> locks;
    for (const auto& [lock, how] : threads_[thread].locks) locks.push_back({lock, how.first});
    held.push_back(std::move(locks));
    round.push_back(round_);
    ids.push_back({thread, threads_[thread].events++});
    events.push_back(event);
    return events.back();
  }
  static void value(HeddleEvent& event, std::uint64_t value) {
    event.value = value;
    event.flags |= HEDDLE_EF_VALUE;
  }
  bool is_free(std::uint32_t lock, LockMode mode) const {
    for (const Thread& t : threads_)
      if (const auto it = t.locks.find(lock); it != t.locks.end())
        if (mode == LockMode::kAlone || it->second.first == LockMode::kAlone) return false;
    return true;
  }
  unsigned dice(unsigned sides) { return static_cast<unsigned>(random_() % sides); }

  void step(std::uint16_t self) {
    Thread& t = threads_[self];
    if (!t.exists || t.ended) return;
    if (!t.started && self != 0) emit(self, HEDDLE_EV_THREAD_START);
    t.started = true;
    if (t.waits) return wake(self);
    if (t.leaves) return leave(self);
    switch (dice(16)) {
      case 0:
        return make_thread(self);
      case 1:
        return end_or_join(self);
      case 2:
      case 3:
        return lock(self, 1 + dice(kSpin));
      case 4:
      case 5:
        return unlock(self);
      case 6:
        return read_write_lock(self, kRw + dice(2));
      case 7:
        return wait(self);
      case 8:
        return signal(self);
      case 9:
        return semaphore(self);
      case 10:
        return arrive(self);
      case 11:
        return once(self);
      case 12:
        return call(self);
      case 13:
        return atomic(self);
      default:
        return access(self);
    }
  }

  void make_thread(std::uint16_t self) {
    if (threads_.size() >= 5) return;
    const auto child = static_cast<std::uint16_t>(threads_.size());
    HeddleEvent& event = emit(self, HEDDLE_EV_THREAD_CREATE);
    if (dice(8) == 0) {
      event.flags |= HEDDLE_EF_FAILED;
      return;
    }
    value(event, child);
    threads_.push_back({});
    threads_.back().exists = true;
  }
  void end_or_join(std::uint16_t self) {
    const auto other = static_cast<std::uint16_t>(dice(static_cast<unsigned>(threads_.size())));
    if (other == self) {
      if (self == 0 || !threads_[self].locks.empty() || threads_[self].initialises) return;
      emit(self, HEDDLE_EV_THREAD_EXIT);
      threads_[self].ended = true;
    } else if (threads_[other].ended && joined_.insert(other).second) {
      emit(self, HEDDLE_EV_THREAD_JOIN, 0, other);
    } else if (!threads_[other].ended) {
      emit(self, HEDDLE_EV_THREAD_JOIN, 0, other).flags |= HEDDLE_EF_FAILED;
    }
  }
  void lock(std::uint16_t self, std::uint32_t lock) {
    Thread& t = threads_[self];
    const bool tries = dice(2) == 0;
    const std::uint32_t kind = lock == kSpin ? (tries ? HEDDLE_EV_SPIN_TRYLOCK : HEDDLE_EV_SPIN_LOCK)
                                             : (tries ? HEDDLE_EV_MUTEX_TRYLOCK : HEDDLE_EV_MUTEX_LOCK);
    const bool again = lock == kRecursive && t.locks.contains(lock);
    const bool can = again || is_free(lock, LockMode::kAlone);
    if (!can && !tries) return;
    HeddleEvent& event = emit(self, kind, lock);
    if (!can)
      event.flags |= HEDDLE_EF_FAILED;
    else if (again)
      t.locks[lock].second++;
    else
      t.locks[lock] = {LockMode::kAlone, 1};
  }
  void unlock(std::uint16_t self) {
    Thread& t = threads_[self];
    if (t.locks.empty()) return;
    const auto it = std::next(t.locks.begin(), dice(static_cast<unsigned>(t.locks.size())));
    const std::uint32_t lock = it->first;
    emit(self, lock >= kRw ? HEDDLE_EV_RW_UNLOCK : lock == kSpin ? HEDDLE_EV_SPIN_UNLOCK : HEDDLE_EV_MUTEX_UNLOCK,
         lock);
    if (--it->second.second == 0) t.locks.erase(it);
  }
  void read_write_lock(std::uint16_t self, std::uint32_t lock) {
    Thread& t = threads_[self];
    const LockMode mode = dice(3) == 0 ? LockMode::kAlone : LockMode::kShared;
    const bool tries = dice(3) == 0, again = t.locks.contains(lock);
    if (again && (mode == LockMode::kAlone || t.locks[lock].first == LockMode::kAlone)) return;
    const bool can = is_free(lock, mode);
    if (!can && !tries) return;
    HeddleEvent& event = emit(self,
                              tries                      ? HEDDLE_EV_RW_TRYLOCK
                              : mode == LockMode::kAlone ? HEDDLE_EV_RW_WRLOCK
                                                         : HEDDLE_EV_RW_RDLOCK,
                              lock);
    if (!can) {
      event.flags |= HEDDLE_EF_FAILED;
      return;
    }
    if (tries) value(event, mode == LockMode::kAlone);
    again ? void(t.locks[lock].second++) : void(t.locks[lock] = {mode, 1});
  }
  void wait(std::uint16_t self) {
    Thread& t = threads_[self];
    const std::uint32_t mutex = 1 + dice(kRecursive);
    if (!t.locks.contains(mutex)) return;
    value(emit(self, HEDDLE_EV_COND_WAIT, kCondition), mutex);
    t.waits = mutex;
    t.depth = t.locks[mutex].second;
    t.locks.erase(mutex);
  }
  void wake(std::uint16_t self) {
    Thread& t = threads_[self];
    if (!is_free(t.waits, LockMode::kAlone)) return;
    HeddleEvent& event = emit(self, HEDDLE_EV_COND_WAKE, kCondition);
    if (dice(3) == 0) event.flags |= HEDDLE_EF_FAILED;  // its time was over
    t.locks[t.waits] = {LockMode::kAlone, t.depth};
    t.waits = 0;
  }
  void signal(std::uint16_t self) {
    if (dice(3) == 0) {
      const bool wakes = dice(2) == 0;
      HeddleEvent& event = emit(self, wakes ? HEDDLE_EV_FUTEX_WAKE : HEDDLE_EV_FUTEX_WOKEN, kFutex);
      if (!wakes && dice(2) == 0) event.flags |= HEDDLE_EF_FAILED;
      return;
    }
    emit(self, dice(2) == 0 ? HEDDLE_EV_COND_SIGNAL : HEDDLE_EV_COND_BROADCAST, kCondition);
  }
  void semaphore(std::uint16_t self) {
    if (dice(2) == 0) {
      emit(self, HEDDLE_EV_SEM_POST, kSemaphore);
      count_++;
    } else if (count_ > 0) {
      emit(self, dice(2) == 0 ? HEDDLE_EV_SEM_TRYWAIT : HEDDLE_EV_SEM_WAIT, kSemaphore);
      count_--;
    } else {
      emit(self, HEDDLE_EV_SEM_TRYWAIT, kSemaphore).flags |= HEDDLE_EF_FAILED;
    }
  }
  void arrive(std::uint16_t self) {
    value(emit(self, HEDDLE_EV_BARRIER_ARRIVE, kBarrier), kRound);
    threads_[self].leaves = round_;
    if (++arrived_ == kRound) arrived_ = 0, round_++;
  }
  void leave(std::uint16_t self) {
    Thread& t = threads_[self];
    if (*t.leaves == round_) return;
    emit(self, HEDDLE_EV_BARRIER_LEAVE, kBarrier);
    round.back() = *t.leaves;
    t.leaves.reset();
  }
  void once(std::uint16_t self) {
    Thread& t = threads_[self];
    if (t.initialises) {
      emit(self, HEDDLE_EV_ONCE_DONE, kOnce);
      t.initialises = false;
      once_ = 2;
    } else if (once_ != 1) {
      emit(self, HEDDLE_EV_ONCE, kOnce);
      if (once_ == 0) t.initialises = true, once_ = 1;
    }
  }
  void call(std::uint16_t self) {
    if (dice(3) > 0) return;
    constexpr std::uint32_t kCalls[] = {HEDDLE_EV_IO_CALL, HEDDLE_EV_IO_LEAVE, HEDDLE_EV_IO_RETURN, HEDDLE_EV_SIGNAL};
    emit(self, kCalls[dice(4)]);
  }
  void atomic(std::uint16_t self) {
    const unsigned size = dice(3);  // at a multiple of it
    const std::uint32_t kind = HEDDLE_EV_ATOMIC_LOAD + dice(4);
    HeddleEvent& event = emit(self, kind, 0, 128 + (dice(16) >> size << size));
    event.flags |= static_cast<std::uint8_t>(size);
    if (kind == HEDDLE_EV_ATOMIC_CAS && dice(2) == 0) event.flags |= HEDDLE_EF_FAILED;
  }
  void access(std::uint16_t self) {
    constexpr std::uint32_t kKinds[] = {HEDDLE_EV_READ,        HEDDLE_EV_READ,   HEDDLE_EV_WRITE, HEDDLE_EV_READ_RANGE,
                                        HEDDLE_EV_WRITE_RANGE, HEDDLE_EV_MALLOC, HEDDLE_EV_FREE};
    const std::uint32_t kind = kKinds[dice(7)];
    HeddleEvent& event = emit(self, kind, 0, 120 + dice(24));
    if (kind == HEDDLE_EV_READ || kind == HEDDLE_EV_WRITE)
      event.flags |= static_cast<std::uint8_t>(dice(4));
    else
      value(event, dice(20));
  }

  std::mt19937 random_;
  std::vector<Thread> threads_;
  std::set<std::uint16_t> joined_;
  unsigned count_ = 0, arrived_ = 0, round_ = 0, once_ = 0;
};

}  // namespace heddle
