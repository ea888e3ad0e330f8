#include "runtime/parallel/owners.h"

#include <sys/syscall.h>

#include "runtime/control/control.h"
#include "runtime/parallel/parallel.h"

namespace heddle::rt {

uint32_t* stripe_states;
uint32_t shared_count;

namespace {

constexpr int kSpins = 2000;

uint32_t load(uint32_t stripe) { return __atomic_load_n(&stripe_states[stripe], __ATOMIC_RELAXED); }
void store(uint32_t stripe, uint32_t state) { __atomic_store_n(&stripe_states[stripe], state, __ATOMIC_RELEASE); }
bool change(uint32_t stripe, uint32_t from, uint32_t to) {
  return __atomic_compare_exchange_n(&stripe_states[stripe], &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

bool is_mine(const Thread& t, uint32_t state, bool write) { return write ? allows<true>(t, state) : allows<false>(t, state); }

// Without the baton: what no other thread needs to hear of.
bool claim(const Thread& t, uint32_t stripe, bool write) {
  uint32_t state = load(stripe);
  if (is_mine(t, state, write)) return true;
  if (state == 0) return change(stripe, 0, t.owner_word | (write ? 0 : kReadOnly));
  return state == (t.owner_word | kReadOnly) && change(stripe, state, t.owner_word);  // read by it alone so far
}

// Returns when `u` is at a place where it executes nothing of the program. The caller has the baton, which `u` needs to go on.
void stop(Thread& u) {
  if (__atomic_load_n(&u.safe, __ATOMIC_SEQ_CST)) return;
  __atomic_store_n(&u.request, kRequestStop, __ATOMIC_SEQ_CST);
  for (int i = 0; i < kSpins; i++) {
    if (__atomic_load_n(&u.safe, __ATOMIC_SEQ_CST)) return;
    __builtin_ia32_pause();
  }
  __atomic_store_n(&u.request, kRequestSleeps, __ATOMIC_SEQ_CST);
  while (!__atomic_load_n(&u.safe, __ATOMIC_SEQ_CST)) futex_wait(&u.safe, 0, 1'000'000);
}

void stop_others(const Thread& t) {
  for (uint32_t i = 0; i < control.thread_count; i++) {
    Thread& u = control.threads[i];
    if (&u == &t || __atomic_load_n(&u.safe, __ATOMIC_SEQ_CST)) continue;
    __atomic_store_n(&u.request, kRequestStop, __ATOMIC_SEQ_CST);  // all at once, then wait for each
  }
  for (uint32_t i = 0; i < control.thread_count; i++)
    if (Thread& u = control.threads[i]; &u != &t) stop(u);
}

// With the baton.
void take_over(Thread& t, uint32_t stripe, bool write) {
  for (;;) {
    uint32_t state = load(stripe);
    if (is_mine(t, state, write) || claim(t, stripe, write)) return;
    if (state == 0) continue;
    if (!(state & kExclusive)) {
      if (!write) return;  // the step that follows comes after the change that made it shared
      stop_others(t);
      store(stripe, t.owner_word);
      return;
    }
    Thread& owner = control.threads[(state & ~kExclusive) >> 1];
    if (!write && (state & kReadOnly)) {
      if (!change(stripe, state, shared_count + 1)) continue;  // it has written meanwhile
      shared_count++;
      return;
    }
    stop(owner);
    store(stripe, t.owner_word | (write ? 0 : kReadOnly));
    return;
  }
}

}  // namespace

void owners_start() { stripe_states = static_cast<uint32_t*>(map_memory(kStripeCount * sizeof(uint32_t))); }

void own_slow(Thread& t, uint64_t first, uint64_t last, bool write) {
  const uint64_t stripes = (last >> kStripeBits) - (first >> kStripeBits) + 1;
  uint64_t done = 0;
  while (done < stripes && claim(t, stripe_of(first + (done << kStripeBits)), write)) done++;
  if (done == stripes) return;
  const uint32_t hooks = (uint32_t)(kHookBudget - t.budget);
  baton_take(t);
  // From the start: what was the thread's own may have been taken while it waited for the baton. Nobody can take it now.
  for (uint64_t i = 0; i < stripes; i++) take_over(t, stripe_of(first + (i << kStripeBits)), write);
  log_step(t, Op{HEDDLE_EV_HANDOVER, 0, 0, 0}, hooks + 1);
  baton_give(t);
}

void own_with_baton(Thread& t, uint64_t address, uint64_t bytes, bool write) {
  if (!bytes || address + bytes < address) return;  // the kernel will say no
  uint64_t stripes = ((address + bytes - 1) >> kStripeBits) - (address >> kStripeBits) + 1;
  if (stripes > kStripeCount) stripes = kStripeCount;
  for (uint64_t i = 0; i < stripes; i++) take_over(t, stripe_of(address + (i << kStripeBits)), write);
}

void hand_over(Thread& t) {
  const uint32_t hooks = (uint32_t)(kHookBudget - t.budget);
  baton_take(t);
  if (t.request) log_step(t, Op{HEDDLE_EV_HANDOVER, 0, 0, 0}, hooks + 1);
  baton_give(t);
}

void stop_and_own(Thread& t, uint64_t first, uint64_t last, bool write) {
  hand_over(t);
  own_slow(t, first, last, write);
}

}  // namespace heddle::rt
