// How long what a thread has of memory is its own for sure: its term. A stripe's state says in which term of its owner
// it was last touched, and a term ends where the thread touches nothing any more without looking at the state again:
// when it has released a lock or another primitive, made a thread, answered somebody who asked for memory, or waits.
//
// So who finds a stripe of a term that has ended need not ask the owner. And it needs a step of its own only if its
// last one came before the owner's last one in that term: a replay executes the code between two steps where the first
// of them is, so the owner's accesses lie behind the step that it says here. Memory that is handed on under a lock thus
// costs nothing but a compare-and-exchange, and leaves no trace in the log: who locks has the later step.
//
//   owner:  lock (step 5)  x = 1  unlock (6), term 3 ends: ended_by 6
//   other:                                     lock (step 8)  finds x of term 3: 6 < 8, takes it   x == 1
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
inline void see_shared(Thread& t, uint64_t number) {
  t.recording.seen_shared = number;
  set_check_word(t);
}

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
  const uint64_t step =
      t.recording.last_step > t.recording.claimed_after ? t.recording.last_step : t.recording.claimed_after;
  __atomic_store_n(&t.recording.terms.ended_by[term % kRememberedTerms], step, __ATOMIC_RELEASE);
  begin_term(t, term + 1);
}

/// The same behind a step in a hook, whose access is yet to come.
inline void end_term_in_hook(Thread& t) {
  t.recording.hook_place = 1;
  end_term(t);
}

/// The owner's term of that state has ended. *step is then that of the owner which comes before all it did until then,
/// or a later one.
inline bool has_ended(const Thread& owner, uint64_t state, uint64_t* step) {
  const uint64_t term = term_of(state);
  if (term == kHeldOn || __atomic_load_n(&owner.recording.terms.now, __ATOMIC_ACQUIRE) == term) return false;
  *step = __atomic_load_n(&owner.recording.terms.ended_by[term % kRememberedTerms],
                          __ATOMIC_ACQUIRE);  // of this term, or of a later one
  return true;
}

}  // namespace heddle::rt
