// Who may touch which memory in a recording (the protocol of Octet, Bond et al., OOPSLA 2013, with safe points at our
// hooks).
//
// Memory is divided into stripes of 64 bytes, and each has an owner:
//   0          nobody touched it yet
//   WrEx(t)    t alone reads and writes it
//   RdEx(t)    t alone read it
//   Sh(n)      everybody whose last step has a number greater than n may read it
// Exclusive ones also say in which term of their owner they were last touched (terms.h). An access by whom the state
// allows it costs a compare. Another one takes the stripe over: at once, when the term has ended; else the owner is
// asked to stop at its next hook (or is stopped already, in the runtime), and the place where it stopped, counted in
// hooks since its last step, is a step of the log. Between two steps a thread thus touches only what nobody else can
// change, and executing the log, each step with the code behind it, computes the same.
//
// Deviation from LEAP (per-element vectors of thread names): the order is logged where it changes, not at each access;
// and from Octet: one lock around all changes (the baton), so that a thread that waits for it is at a safe point by
// definition.
#pragma once
#include "runtime/parallel/terms.h"

namespace heddle::rt {

enum : uint8_t {
  kRequestNone,
  kRequestStop,
  kRequestSleeps
};  // Thread::request.asked; the last: the asker sleeps on `safe`

constexpr uint32_t kStripeBits = 6;
constexpr uint32_t kStripeCount = 1u << 26;  // of 4 GiB: what lies a multiple of that apart shares its states
extern uint64_t* stripe_states;

void owners_start();

inline uint32_t stripe_of(uint64_t address) {
  return (uint32_t)address >> kStripeBits;  // inline checks compute the same (abi/record_hooks.h)
}

/// `state` lets the thread do it without asking.
template <bool kWrite>
__attribute__((always_inline)) inline bool allows(const Thread& t, uint64_t state) {
  if (kWrite) return state == t.recording.owner_word;
  return (state & ~kReadOnly) == t.recording.owner_word || state - 1 < t.recording.seen_shared;
}

/// The access of a hook: returns when it is the thread's until its next hook.
void own_slow(Thread& t, uint64_t first, uint64_t last, bool write);
/// Somebody asked for the thread's place.
void hand_over(Thread& t);

/// The process ends, with the baton: others take no step any more that would say how far they had come. Behind the last
/// step of who ends it, so that a replay lets none of them go on from there.
void log_last_places(const Thread* last);

/// With the baton, before the step after which the thread touches that memory is logged. It is held on to beyond the
/// end of the term.
void own_with_baton(Thread& t, uint64_t address, uint64_t bytes, bool write);

/// Several spans at once, at a hook: all are the thread's until its next one.
struct Span {
  uint64_t first, bytes;
  bool write;
};
void own_spans(Thread& t, const Span* spans, uint32_t count);

/// It had all of it before, and has it until its next hook; at least one byte.
bool owns(const Thread& t, uint64_t first, uint64_t bytes, bool write);

/// hand_over(), then own_slow() if it is still needed.
void stop_and_own(Thread& t, uint64_t first, uint64_t last, bool write);

template <bool kWrite>
__attribute__((always_inline)) inline void own(Thread& t, const volatile void* p, uint64_t size) {
  const uint64_t first = (uint64_t)p, last = first + size - 1;
  if (HEDDLE_UNLIKELY(t.request.any)) return stop_and_own(t, first, last, kWrite);
  if (HEDDLE_UNLIKELY(!allows<kWrite>(t, __atomic_load_n(&stripe_states[stripe_of(first)], __ATOMIC_RELAXED)) ||
                      (size > 1 && first >> kStripeBits != last >> kStripeBits)))
    return own_slow(t, first, last, kWrite);
}

/// Code without hooks (plain_code.cc). With the baton, asked to stop: `u` is in there, and cannot come out before the
/// caller gives the baton back. It may take free steps meanwhile.
bool is_held_outside(const Thread& u);
bool plain_code_start();  // false: barriers do not work here
/// A hook after all: it calls back, or has left by an exception.
void hook_outside(Thread& t);

/// Both are the thread's, to be read.
void own_both(Thread& t, uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes);

/// A range that is read, and perhaps compared with or copied by what the next hook says.
inline void own_source(Thread& t, const volatile void* p, uint64_t size) {
  const int32_t before = t.budget;
  own<false>(t, p, size);
  if (HEDDLE_UNLIKELY(t.budget != before && t.recording.read_bytes && t.recording.read_at == before + 1))
    own_both(t, t.recording.read_from, t.recording.read_bytes, (uint64_t)p, size);
  t.recording.read_from = (uint64_t)p;
  t.recording.read_bytes = size;
  t.recording.read_at = t.budget;
}
/// A range that is written; what was read by the hook before is still the thread's, too: a copy has two hooks and is
/// one access.
void keep_source(Thread& t, uint64_t to, uint64_t size);
inline void own_destination(Thread& t, const volatile void* p, uint64_t size) {
  const int32_t before = t.budget;
  own<true>(t, p, size);
  if (HEDDLE_UNLIKELY(t.budget != before && t.recording.read_bytes && t.recording.read_at == before + 1))
    keep_source(t, (uint64_t)p, size);  // there was a step
  t.recording.read_bytes = 0;
}

/// A hook without memory: a place to stop all the same.
inline void hook_passed(Thread& t) {
  if (HEDDLE_UNLIKELY(t.request.any)) hand_over(t);
}

}  // namespace heddle::rt
