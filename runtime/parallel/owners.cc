#include "runtime/parallel/owners.h"

#include <sys/syscall.h>

#include "runtime/control/control.h"
#include "runtime/parallel/free_steps.h"
#include "runtime/parallel/parallel.h"
#include "runtime/parallel/spins.h"
#include "runtime/parallel/step_log.h"
#include "runtime/parallel/waiters.h"

namespace heddle::rt {

uint64_t* stripe_states;

namespace {

uint64_t load(uint32_t stripe) { return __atomic_load_n(&stripe_states[stripe], __ATOMIC_ACQUIRE); }
void store(uint32_t stripe, uint64_t state) { __atomic_store_n(&stripe_states[stripe], state, __ATOMIC_RELEASE); }
bool change(uint32_t stripe, uint64_t from, uint64_t to) {
  return __atomic_compare_exchange_n(&stripe_states[stripe], &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

bool is_exclusive(uint64_t state) { return state & kExclusive; }
bool is_of(const Thread& t, uint64_t state) { return is_exclusive(state) && owner_index(state) == t.index; }
Thread& owner_of(uint64_t state) { return control.threads[owner_index(state)]; }
bool is_mine(const Thread& t, uint64_t state, bool write) {
  return write ? allows<true>(t, state) : allows<false>(t, state);
}

enum class Claim : uint8_t { kMine, kAfterStep, kAsk };

// What nobody has to be asked for, with the baton or without: from here on the stripe is `word`'s.
Claim claim(Thread& t, uint64_t word, uint32_t stripe, bool write) {
  for (;;) {
    const uint64_t state = load(stripe);
    uint64_t number = 0;
    if (is_of(t, state)) {  // perhaps of another term
      if (state == word || (!write && state == (word | kReadOnly))) return Claim::kMine;
      if (change(stripe, state, word | (write ? 0 : state & kReadOnly))) return Claim::kMine;
    } else if (is_exclusive(state)) {
      if (!has_ended(owner_of(state), state, &number)) return Claim::kAsk;
      come_after(t, number);  // before others can see that it has the stripe
      if (change(stripe, state, word | (write ? 0 : kReadOnly)))
        return number < t.recording.last_step ? Claim::kMine : Claim::kAfterStep;
    } else if (state == 0) {
      if (change(stripe, 0, word | (write ? 0 : kReadOnly))) return Claim::kMine;
    } else {
      if (write) return Claim::kAsk;
      if (state < t.recording.last_step) return Claim::kMine;
      come_after(t, state);
      return Claim::kAfterStep;
    }
  }
}

constexpr int kSpins = spins(500);
constexpr uint64_t kWaitNs = 1'000'000;
// For those who asked, at a hook: they may be held up by what this thread does next.
constexpr int kMostWaits = spins(2000);

bool is_safe(const Thread& u) { return __atomic_load_n(&u.recording.safe, __ATOMIC_SEQ_CST); }
void ask(Thread& u, uint8_t request) { __atomic_store_n(&u.request.asked, request, __ATOMIC_SEQ_CST); }
bool is_awaited(const Thread& u) { return __atomic_load_n(&u.request.asked, __ATOMIC_SEQ_CST) == kRequestSleeps; }
void ask_to_stop(Thread& u) {
  if (!is_awaited(u)) ask(u, kRequestStop);  // else it stops anyway, and wakes who sleeps
}
bool is_asked(const Thread& u) { return __atomic_load_n(&u.request.asked, __ATOMIC_SEQ_CST); }

// Who takes a stripe first makes it its own, then asks. The other one's accesses before its answer are those that it
// had looked up before, all later ones find the new owner: so it need not stay where it answers.
void expect_answer(Thread& u) { u.recording.answers_before = __atomic_load_n(&u.recording.answers, __ATOMIC_SEQ_CST); }
bool has_answered(const Thread& u) {
  return __atomic_load_n(&u.recording.answers, __ATOMIC_SEQ_CST) != u.recording.answers_before;
}

// `u` executes nothing that hooks would tell of, and cannot before the baton is free, or else looks at the states of
// stripes again: what the caller took before it looked here, `u` finds taken.
bool stays(Thread& u) {
  if (is_safe(u)) return true;
  if (!is_asked(u)) ask(u, kRequestStop);
  return is_held_outside(u);
}
bool has_stopped(Thread& u) { return has_answered(u) || stays(u); }

// The same, which may take a moment. The caller has the baton.
bool stops_soon(Thread& u) {
  if (is_safe(u) || has_answered(u)) return true;
  ask_to_stop(u);
  for (int i = 0; i < kSpins; i++) {
    if (is_safe(u) || has_answered(u) || is_held_outside(u)) return true;
    __builtin_ia32_pause();
  }
  return false;
}

// Who takes stripes over, and what it does when others do not stop soon.
struct Taker {
  Thread& thread;
  bool gives_way;     // at a hook: others go on meanwhile. Else it is in the middle of something in the runtime, and
                      // everybody waits
  bool lost = false;  // others had the baton: what was its own may have been taken
  bool holds_on = false;  // beyond the end of its term
  struct {
    uint32_t stripe;
    uint64_t state;
  } taken = {};  // from an owner who is yet to stop

  uint64_t word() const { return holds_on ? owner_bits(thread.index) | kHeldOn : thread.recording.owner_word; }
};

// Until the owner has stopped nobody has looked at it; others need the baton.
void give_back(const Taker& taker) { store(taker.taken.stripe, taker.taken.state); }

// While one of these is there, `u` does not go on from the hook where it stops.
class Wanted {
 public:
  explicit Wanted(Thread& u) : thread_(u) { __atomic_fetch_add(&u.recording.wanted, 1, __ATOMIC_SEQ_CST); }
  ~Wanted() {
    if (__atomic_sub_fetch(&thread_.recording.wanted, 1, __ATOMIC_SEQ_CST) == 0)
      futex_wake(&thread_.recording.wanted, 1);
  }
  Wanted(const Wanted&) = delete;

 private:
  Thread& thread_;
};

// At a hook, with the baton: who asked and went to sleep is let in before the thread goes on.
void stay_for_askers(Thread& t) {
  for (int i = 0; i < kMostWaits; i++) {
    const uint32_t wanted = __atomic_load_n(&t.recording.wanted, __ATOMIC_SEQ_CST);
    if (!wanted) return;
    const uint32_t depth = baton_lose(t);
    for (int n = 0; n < kSpins && __atomic_load_n(&t.recording.wanted, __ATOMIC_RELAXED) == wanted; n++)
      __builtin_ia32_pause();
    futex_wait(&t.recording.wanted, wanted, kWaitNs);
    baton_regain(t, depth);
  }
}

void await_stop(Thread& u) {
  if (stops_soon(u)) return;
  ask(u, kRequestSleeps);
  while (!has_stopped(u)) futex_wait(&u.recording.safe, 0, kWaitNs);
}

// Without the baton, which is there again afterwards: until `u` stops, however short.
void sleep_until_stop(Taker& taker, Thread& u) {
  Thread& t = taker.thread;
  taker.lost = true;
  ask(u, kRequestSleeps);  // again: a step of its own has answered the last one
  const uint32_t depth = baton_lose(t);
  for (int n = 0; n < kSpins && !is_safe(u) && !u.request.outside; n++) __builtin_ia32_pause();
  if (!is_safe(u) && !u.request.outside) futex_wait(&u.recording.safe, 0, kWaitNs);
  baton_regain(t, depth);
}

// Until `owner` has stopped. False: others had the baton meanwhile, and what was taken was given back.
bool stop(Taker& taker, Thread& owner) {
  expect_answer(owner);
  if (!taker.gives_way) await_stop(owner);
  if (!taker.gives_way || stops_soon(owner)) {
    come_after(taker.thread, clock_of(owner));
    return true;
  }
  give_back(taker);
  Wanted wanted(owner);
  do sleep_until_stop(taker, owner);
  while (!stays(owner));
  return false;
}

template <class F>
Thread* another(const Thread& t, F is_wanted) {
  for (uint32_t i = 0; i < control.thread_count; i++)
    if (Thread& u = control.threads[i]; &u != &t && is_wanted(u)) return &u;
  return nullptr;
}
Thread* one_that_runs(const Thread& t) {
  return another(t, [](Thread& u) { return !stops_soon(u); });
}

// The same for all others.
bool stop_others(Taker& taker) {
  Thread& t = taker.thread;
  const uint32_t count = control.thread_count;  // those that start later find the new owner
  for (uint32_t i = 0; i < count; i++) expect_answer(control.threads[i]);
  for (uint32_t i = 0; i < count; i++)
    if (Thread& u = control.threads[i]; &u != &t && !is_safe(u)) ask_to_stop(u);  // all at once, then wait for each
  Thread* u = one_that_runs(t);
  if (!taker.gives_way)
    for (; u; u = one_that_runs(t)) await_stop(*u);
  if (!u) {
    for (uint32_t i = 0; i < count; i++) come_after(t, clock_of(control.threads[i]));
    return true;
  }
  give_back(taker);
  for (uint32_t i = 0; i < count; i++)
    __atomic_fetch_add(&control.threads[i].recording.wanted, &control.threads[i] != &t, __ATOMIC_SEQ_CST);
  for (; u; u = another(t, [](Thread& o) { return !stays(o); })) sleep_until_stop(taker, *u);
  for (uint32_t i = 0; i < count; i++)
    if (Thread& o = control.threads[i]; &o != &t && __atomic_sub_fetch(&o.recording.wanted, 1, __ATOMIC_SEQ_CST) == 0)
      futex_wake(&o.recording.wanted, 1);
  return false;
}

// With the baton; a step of the thread follows.
void take_over(Taker& taker, uint32_t stripe, bool write) {
  Thread& t = taker.thread;
  for (;;) {
    if (claim(t, taker.word(), stripe, write) != Claim::kAsk) return;
    const uint64_t state = load(stripe);
    if (is_exclusive(state) && !write && (state & kReadOnly)) {
      const uint64_t number = clock_of(owner_of(state));
      if (!change(stripe, state, number)) continue;  // it has written meanwhile
      come_after(t, number);
      return raise_floor(number + 1);  // so that all threads may read it behind their next steps
    }
    if (!change(stripe, state, taker.word() | (write ? 0 : kReadOnly))) continue;
    taker.taken = {stripe, state};
    if (is_exclusive(state) ? stop(taker, owner_of(state)) : stop_others(taker)) return;
  }
}

void take_all_over(Taker taker, uint64_t first, uint64_t stripes, bool write) {
  do {
    taker.lost = false;
    for (uint64_t i = 0; i < stripes; i++) take_over(taker, stripe_of(first + (i << kStripeBits)), write);
  } while (taker.lost);
}

}  // namespace

void owners_start() { stripe_states = static_cast<uint64_t*>(map_memory(kStripeCount * sizeof(uint64_t))); }

void own_slow(Thread& t, uint64_t first, uint64_t last, bool write) {
  const uint64_t stripes = (last >> kStripeBits) - (first >> kStripeBits) + 1;
  Claim worst = Claim::kMine;
  for (uint64_t i = 0; i < stripes && worst != Claim::kAsk; i++) {
    const Claim c = claim(t, t.recording.owner_word, stripe_of(first + (i << kStripeBits)), write);
    if (c > worst) worst = c;
  }
  if (HEDDLE_LIKELY(worst == Claim::kMine)) return;
  const uint32_t hooks = (uint32_t)(kHookBudget - t.budget);
  if (worst == Claim::kAfterStep && take_freely(t, hooks + 1)) return;
  const bool at_hook = t.recording.baton_depth == 0;
  if (at_hook) t.recording.hook_place = hooks + 1;
  baton_take(t);
  take_all_over({t, at_hook}, first, stripes, write);
  log_step(t, Op{HEDDLE_EV_HANDOVER, 0, 0, 0}, hooks + 1);
  baton_give(t);
}

bool owns(const Thread& t, uint64_t first, uint64_t bytes, bool write) {
  const uint64_t stripes = ((first + bytes - 1) >> kStripeBits) - (first >> kStripeBits) + 1;
  for (uint64_t i = 0; i < stripes; i++)
    if (!is_mine(t, load(stripe_of(first + (i << kStripeBits))), write)) return false;
  return true;
}

void keep_source(Thread& t, uint64_t to, uint64_t size) {
  while (!owns(t, t.recording.read_from, t.recording.read_bytes, false)) {
    own_slow(t, t.recording.read_from, t.recording.read_from + t.recording.read_bytes - 1, false);
    if (!owns(t, to, size, true)) own_slow(t, to, to + size - 1, true);
  }
}

void own_both(Thread& t, uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) {
  for (;;) {
    if (a_bytes && !owns(t, a, a_bytes, false))
      own_slow(t, a, a + a_bytes - 1, false);
    else if (b_bytes && !owns(t, b, b_bytes, false))
      own_slow(t, b, b + b_bytes - 1, false);
    else
      return;
  }
}

void own_spans(Thread& t, const Span* spans, uint32_t count) {
  for (bool all = false; !all;) {
    all = true;
    for (const Span* s = spans; s < spans + count; s++) {
      if (HEDDLE_LIKELY(owns(t, s->first, s->bytes, s->write))) continue;
      own_slow(t, s->first, s->first + s->bytes - 1, s->write);
      all = count == 1;  // else others of them may have been taken meanwhile
    }
  }
}

void own_with_baton(Thread& t, uint64_t address, uint64_t bytes, bool write) {
  if (!bytes || address + bytes < address) return;  // the kernel will say no
  uint64_t stripes = ((address + bytes - 1) >> kStripeBits) - (address >> kStripeBits) + 1;
  if (stripes > kStripeCount) stripes = kStripeCount;
  take_all_over({.thread = t, .gives_way = false, .holds_on = true}, address, stripes, write);
}

static void hand_over_here(Thread& t, uint32_t hooks) {
  if (t.request.outside) hook_outside(t);
  if (!is_asked(t)) return;
  if (__atomic_load_n(&t.request.asked, __ATOMIC_SEQ_CST) == kRequestStop &&
      !__atomic_load_n(&t.recording.wanted, __ATOMIC_SEQ_CST) && answer_freely(t, hooks + 1))
    return;
  baton_take(t);
  stay_for_askers(t);
  if (is_asked(t)) {
    log_step(t, Op{HEDDLE_EV_HANDOVER, 0, 0, 0}, hooks + 1);
    end_term_in_hook(t);
  }
  ask(t, kRequestNone);  // also when who asked did not come
  baton_give(t);
}

void hand_over(Thread& t) {
  const uint32_t hooks = (uint32_t)(kHookBudget - t.budget);
  t.recording.hook_place = hooks + 1;
  hand_over_here(t, hooks);
  t.recording.hook_place = 0;
}

void log_last_places(const Thread* last) {
  end_free_steps();
  for (uint32_t i = 0; i < control.thread_count; i++) {
    Thread& u = control.threads[i];
    if (&u == last || u.finished) continue;
    log_step(u, Op{HEDDLE_EV_HANDOVER, 0, 0, 0}, (uint32_t)u.info->last_place);
  }
}

void stop_and_own(Thread& t, uint64_t first, uint64_t last, bool write) {
  hand_over(t);
  own_slow(t, first, last, write);
}

}  // namespace heddle::rt
