// How long what a thread has of memory is its own for sure: its term. A stripe's state says in which term of its owner
// it was last touched, and a term ends where the thread touches nothing any more without looking at the state again:
// when it has released a lock or another primitive, made a thread, answered somebody who asked for memory, or waits.
//
// So who finds a stripe of a term that has ended need not ask the owner. And it needs a step of its own only if the
// number of its last one is not greater than the number that the owner's clock had when the term ended: a replay
// executes the code between two steps where the first of them is, so the owner's accesses lie behind the step that it
// says here. Memory that is handed on under a lock thus costs nothing but a compare-and-exchange, and leaves no trace
// in the log: who locks has the greater number.
//
//   owner:  lock a (5)  x = 1  unlock (6), term 3 ends: ended_by 6
//   other:                                  lock a (7, since a says 6)  finds x of term 3: 6 < 7, takes it   x == 1
//   or:                                     lock b (4)                  finds x of term 3: 6 > 4, takes a step (7)
//
// Numbers are Lamport's (step_log.h): what has the smaller one need not have been first in time. The order of the log
// is that of (number, thread), and "greater" is true in that order whatever the threads are.
//
// Law: if two accesses to a stripe conflict, the step in front of the one that was first has a smaller number than the
// step in front of the other one. Proof:
// - A thread's clock (RecordingState::step_clock) never falls, and lies between the number of its last step and that of
//   its next one.
// - Whoever replaces a state of another owner raises its own clock above what the owner's was when that could no longer
//   use the state: at the end of that term (ended_by), or after it had stopped. It touches the stripe only when the
//   number of its last step is greater than that: else it takes a step first.
// - So along the owners of a stripe the numbers of the steps in front of their accesses grow strictly. Where an owner
//   claimed the stripe and lost it before it touched it, its clock passes on what it got: it was raised before others
//   could see the claim.
// - Sh(n) replaces the state of an owner that only read, with n what its clock was: whoever wrote came before that.
//   Only threads whose last step has a number greater than n read. Who writes next raises its clock above those of all
//   threads, after each has stopped.
#pragma once
#include "runtime/control/control.h"
#include "runtime/parallel/parallel.h"

namespace heddle::rt {

constexpr uint64_t kExclusive = 1ull << 63;  // | thread index << kOwnerShift | term << 1 | kReadOnly
constexpr uint64_t kReadOnly = 1;
constexpr uint32_t kOwnerShift = 47;
constexpr uint64_t kTermMask = (1ull << kOwnerShift) - 2;
constexpr uint64_t kHeldOn = 0;  // instead of a term: until its owner says otherwise, whatever it does meanwhile

constexpr uint64_t owner_bits(uint32_t thread) { return kExclusive | (uint64_t)thread << kOwnerShift; }
constexpr uint32_t owner_index(uint64_t state) { return (uint32_t)((state & ~kExclusive) >> kOwnerShift); }
constexpr uint64_t term_of(uint64_t state) { return (state & kTermMask) >> 1; }
static_assert(HEDDLE_MAX_THREADS < 1u << (63 - kOwnerShift));

/// What inline checks compare with.
constexpr uint64_t kNoState = 1ull << 62;  // none is that
inline void set_check_word(Thread& t) {
  const bool armed = t.request.armed;
  t.check_word = armed ? kNoState : parallel ? t.recording.owner_word : 0;
  t.check_shared = armed ? 0 : t.recording.seen_shared;
}
/// Of its last step.
inline void see_shared(Thread& t) {
  t.recording.seen_shared = t.recording.last_step - 1;
  set_check_word(t);
}

/// The next step of the thread comes after what another one did up to that number. By itself; others may read the
/// clock.
inline void come_after(Thread& t, uint64_t number) {
  if (number >= t.recording.step_clock) __atomic_store_n(&t.recording.step_clock, number + 1, __ATOMIC_RELEASE);
}
/// What a thread did until it stopped, or ended a term, has at most that number.
inline uint64_t clock_of(const Thread& u) { return __atomic_load_n(&u.recording.step_clock, __ATOMIC_ACQUIRE); }

inline void begin_term(Thread& t, uint64_t term) {
  __atomic_store_n(&t.recording.terms.now, term, __ATOMIC_RELEASE);
  t.recording.owner_word = owner_bits(t.index) | term << 1;
  set_check_word(t);
}

/// From here on others may take what the thread has: should the process end now, a replay stops it in this hook, whose
/// access is not done, or else in the next one.
inline void place_is_safe(Thread& t) {
  const uint32_t hooks = (uint32_t)(kHookBudget - t.budget);
  __atomic_store_n(&t.info->last_place,
                   t.info->steps << 32 | (t.recording.hook_place ? t.recording.hook_place : hooks + 2),
                   __ATOMIC_RELEASE);
}

/// By the thread itself. Its accesses so far are done; later ones look at the state first.
inline void end_term(Thread& t) {
  place_is_safe(t);
  const uint64_t term = t.recording.terms.now;
  __atomic_store_n(&t.recording.terms.ended_by[term % kRememberedTerms], t.recording.step_clock, __ATOMIC_RELEASE);
  begin_term(t, term + 1);
}

/// The same behind a step in a hook, whose access is yet to come.
inline void end_term_in_hook(Thread& t) {
  t.recording.hook_place = 1;
  end_term(t);
}

/// The owner's term of that state has ended. *number is then what its clock was, or a later one.
inline bool has_ended(const Thread& owner, uint64_t state, uint64_t* number) {
  const uint64_t term = term_of(state);
  if (term == kHeldOn || __atomic_load_n(&owner.recording.terms.now, __ATOMIC_ACQUIRE) == term) return false;
  *number = __atomic_load_n(&owner.recording.terms.ended_by[term % kRememberedTerms],
                            __ATOMIC_ACQUIRE);  // of this term, or of a later one
  return true;
}

}  // namespace heddle::rt
