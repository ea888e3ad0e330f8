// The baton as a lock. While a thread waits for it, or for anything else of the runtime, it is `safe`: it executes
// nothing of the program, and its term has ended, so the holder may take memory away from it (owners.cc).
//
// Rules of this file: raw futexes only; a thread sets its own `safe` before it lets go, and clears it after it has the
// baton, or before it touches anything of the program (goes_on_without_baton).
#include "runtime/control/control.h"
#include "runtime/parallel/owners.h"
#include "runtime/parallel/parallel.h"
#include "runtime/parallel/spins.h"
#include "runtime/parallel/step_log.h"
#include "runtime/parallel/terms.h"
#include "runtime/parallel/waiters.h"

namespace heddle::rt {

bool parallel, by_places;

OwnLine<uint32_t> baton;  // protocol_test.cc keeps its states

namespace {

enum : uint32_t { kFree, kHeld, kContended };
constexpr int kSpins = spins(1500);

bool try_lock() {
  uint32_t free = kFree;
  return __atomic_compare_exchange_n(&baton.value, &free, kHeld, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void lock() {
  for (int i = 0; i < kSpins; i++) {
    if (__atomic_load_n(&baton.value, __ATOMIC_RELAXED) == kFree && try_lock()) return;
    __builtin_ia32_pause();
  }
  while (__atomic_exchange_n(&baton.value, (uint32_t)kContended, __ATOMIC_ACQUIRE) != kFree)
    futex_wait(&baton.value, kContended);
}

void unlock() {
  if (__atomic_exchange_n(&baton.value, (uint32_t)kFree, __ATOMIC_RELEASE) == kContended) futex_wake(&baton.value, 1);
}

void become_safe(Thread& t) {
  end_term(t);
  __atomic_store_n(&t.recording.safe, 1, __ATOMIC_SEQ_CST);
  if (HEDDLE_UNLIKELY(__atomic_load_n(&t.request.asked, __ATOMIC_SEQ_CST) == kRequestSleeps))
    futex_wake(&t.recording.safe, 1);
}

// Waking takes as long as everything else that is done with the baton, so it comes behind it. Threads are never
// unmapped: at worst the one to wake has gone on by itself.
void release(const Thread& t) {
  baton_comes_after(t.recording.step_clock, t.index);
  Thread* next = next_waiter();
  unlock();
  if (HEDDLE_UNLIKELY(next != nullptr)) futex_wake(&next->backend.wake_word, 1);
}

}  // namespace

void baton_take(Thread& t) {
  if (t.recording.baton_depth++) return;
  t.recording.was_outside = t.request.outside;
  __atomic_store_n(&t.request.outside, 0, __ATOMIC_RELAXED);  // before the lock, which who counts on it holds
  if (HEDDLE_LIKELY(try_lock())) return;
  become_safe(t);
  lock();
  __atomic_store_n(&t.recording.safe, 0, __ATOMIC_RELAXED);
}

void baton_give(Thread& t) {
  if (--t.recording.baton_depth) return;
  __atomic_store_n(&t.request.outside, t.recording.was_outside, __ATOMIC_RELAXED);  // back to where it came from
  t.recording.was_outside = false;
  release(t);
}

uint32_t baton_give_all(Thread& t) {
  uint32_t depth = t.recording.baton_depth;
  if (!depth) return 0;
  t.recording.baton_depth = 1;
  baton_give(t);
  return depth;
}

void baton_take_back(Thread& t, uint32_t depth) {
  baton_take(t);
  t.recording.baton_depth = depth;
}

void baton_finish(Thread& t) {
  become_safe(t);
  t.recording.baton_depth = 0;
  release(t);
}

uint32_t baton_lose(Thread& t) {
  uint32_t depth = t.recording.baton_depth;
  HEDDLE_CHECK(depth != 0);  // an entry into the runtime that did not take it
  become_safe(t);
  t.recording.baton_depth = 0;
  release(t);
  return depth;
}

bool goes_on_without_baton(Thread& t, uint32_t depth) {
  if (depth != 1 || t.recording.was_outside || __atomic_load_n(&t.request.any, __ATOMIC_RELAXED) ||
      __atomic_load_n(&t.recording.wanted, __ATOMIC_RELAXED))
    return false;
  // Its term has ended: it looks at the state of all it touches from here on, which must not be read before others can
  // see that it runs.
  __atomic_exchange_n(&t.recording.safe, 0, __ATOMIC_SEQ_CST);
  return true;
}

void baton_regain(Thread& t, uint32_t depth) {
  lock();
  __atomic_store_n(&t.recording.safe, 0, __ATOMIC_RELAXED);
  t.recording.baton_depth = depth;
}

}  // namespace heddle::rt
