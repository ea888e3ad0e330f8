// Rules of this file: between the word's `busy` and its end nothing may wait, fault or run code of the program: faults
// do not happen there, other signals are queued (io/signals.cc), and those of the fatal kind that somebody sent wait
// for the end of the step.
#include "runtime/parallel/free_steps.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "runtime/arena.h"
#include "runtime/control/control.h"
#include "runtime/control/recording.h"
#include "runtime/detector/detector.h"
#include "runtime/control/io.h"
#include "runtime/parallel/owners.h"
#include "runtime/parallel/parallel.h"
#include "runtime/parallel/spins.h"
#include "runtime/parallel/step_log.h"
#include "runtime/parallel/terms.h"
#include "runtime/table.h"

namespace heddle::rt {

bool free_steps_possible;
uint32_t forbidden;  // > 0: by the holder of the baton; protocol_test.cc keeps its states

namespace {

enum : uint32_t { kFree = 0, kBusy = 1u << 31 };  // or kModelDecides; else: thread index + 1, perhaps busy

struct Site {
  Site* next;  // of the same place
  uint64_t pc;
  uint32_t site;
};
// Found without the baton: by hash. Of locks, the latest of those that share a place; sites never change.
constexpr uint32_t kLockPlaces = 1u << 15, kSitePlaces = 1u << 12;
Object** locks;
Site** sites;

template <class T>
T*& place(T** table, uint32_t size, uint64_t key) {
  return table[mix_bits(key) & (size - 1)];
}
template <class T>
T* at(T** table, uint32_t size, uint64_t key) {
  return __atomic_load_n(&place(table, size, key), __ATOMIC_ACQUIRE);
}

bool is_plain(const void* mutex) {
  constexpr int kElision = 256 | 512;  // asked for, or against: a matter of the processor
  const int kind = ((const pthread_mutex_t*)mutex)->__data.__kind & ~kElision;
  return kind == PTHREAD_MUTEX_TIMED_NP || kind == PTHREAD_MUTEX_ADAPTIVE_NP;
}

Object* known_lock(const void* mutex) {
  Object* o = at(locks, kLockPlaces, (uint64_t)mutex);
  return o && o->address == (uint64_t)mutex && !__atomic_load_n(&o->dropped, __ATOMIC_RELAXED) && is_plain(mutex)
             ? o
             : nullptr;
}

}  // namespace
struct LatestSite {
  uint64_t pc;
  uint32_t site;
};
namespace {
constexpr uint32_t kLatestSites = 128;  // with 32, find_site() was 1 % of the time of memcached

const Site* find_site(void* caller) {
  const Site* s = at(sites, kSitePlaces, (uint64_t)caller);
  while (s && s->pc != (uint64_t)caller) s = s->next;
  return s;
}

// Null: not known.
LatestSite* known_site(Thread& t, void* caller) {
  if (HEDDLE_UNLIKELY(!t.recording.latest_sites)) return nullptr;
  auto& latest = t.recording.latest_sites[((uint64_t)caller ^ (uint64_t)caller >> 7) % kLatestSites];
  if (HEDDLE_LIKELY(latest.pc == (uint64_t)caller)) return &latest;
  const Site* s = find_site(caller);
  if (!s) return nullptr;
  latest = {(uint64_t)caller, s->site};
  return &latest;
}

// Again, now that it may be handled.
__attribute__((noinline)) void resend_deferred(Thread& t) {
  const int signo = (int)t.recording.deferred_signal;
  const uint64_t one = 1ull << (signo - 1);
  t.recording.deferred_signal = 0;
  raw_syscall(SYS_rt_tgsigqueueinfo, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), signo,
              t.recording.deferred_info);
  raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &one, nullptr, sizeof one);
}

// The thread says so with plain stores; who forbids makes it pass a barrier.
class FreeStep {
 public:
  explicit FreeStep(Thread& t) : thread_(t) {
    __atomic_store_n(&t.recording.in_free_step, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  ~FreeStep() {
    __atomic_store_n(&thread_.recording.in_free_step, 0, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (HEDDLE_UNLIKELY(thread_.recording.deferred_signal)) resend_deferred(thread_);
  }
  FreeStep(const FreeStep&) = delete;
  /// Acquired: what was forbidden until a moment ago has raised the floor.
  bool allowed() const { return !__atomic_load_n(&forbidden, __ATOMIC_ACQUIRE); }

 private:
  Thread& thread_;
};

bool is_asked(const Thread& t) { return __atomic_load_n(&t.request.asked, __ATOMIC_RELAXED); }

// In code without hooks, too (plain_code.cc): a function that only locks never comes to a hook that would say better.
bool nothing_else_to_do(Thread& t) {
  return !is_asked(t) && !t.recording.baton_depth && !t.in_runtime && t.state == HEDDLE_T_RUNNING &&
         !t.events.written && has_room_for_step(t);
}

bool turn(Object& o, uint32_t from, uint32_t to) {
  return __atomic_compare_exchange_n(&o.free_word, &from, to, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

// Held by somebody who needs no help: a moment, before the model has to wake and be woken.
void await_release(const Object& o, const Thread& t) {
  constexpr int kSpins = spins(300);
  for (int i = 0; i < kSpins; i++) {
    const uint32_t word = __atomic_load_n(&o.free_word, __ATOMIC_RELAXED);
    if (word == kFree || word == kModelDecides || (word & ~kBusy) == t.index + 1 || is_asked(t)) return;
    __builtin_ia32_pause();
  }
}

// `from` -> busy -> `to`, with the step in the middle.
bool step_freely(const void* mutex, uint32_t kind, void* caller, bool lock) {
  Thread* t = self;
  if (!t || HEDDLE_UNLIKELY(!free_steps_possible) || !nothing_else_to_do(*t)) return false;
  Object* o = known_lock(mutex);
  LatestSite* const site = known_site(*t, caller);
  if (!o || !site) return false;
  const uint32_t mine = t->index + 1;
  if (kind == HEDDLE_EV_MUTEX_LOCK) await_release(*o, *t);
  const FreeStep step(*t);
  if (!step.allowed() || !io_no_signal_is_due(*t)) return false;
  if (!turn(*o, lock ? kFree : mine, mine | kBusy)) return false;
  io_signal_opportunity_passed(*t);
  t->progress.unproductive = 0;
  t->op = Op{kind, site->site, o->id, (uint64_t)mutex};
  log_free_step(*t, t->op, 0, o->last_step, o->last_by);
  o->last_step = t->recording.last_step;
  o->last_by = t->index;
  if (!lock) end_term(*t);
  __atomic_store_n(&o->free_word, lock ? mine : kFree, __ATOMIC_RELEASE);
  return true;
}

template <class F>
bool hand_over_freely(Thread& t, uint32_t hooks, F then) {
  if (HEDDLE_UNLIKELY(!free_steps_possible) || t.recording.baton_depth || !has_room_for_step(t)) return false;
  const FreeStep step(t);
  if (!step.allowed()) return false;
  log_free_step(t, Op{HEDDLE_EV_HANDOVER, 0, 0, 0}, hooks, 0, t.index);
  then();
  return true;
}

void take_a_nap() {
  timespec nap{0, 20'000};
  raw_syscall(SYS_nanosleep, &nap, nullptr);
}

void await_free_steps() {
  raw_syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
  for (uint32_t i = 0; i < control.thread_count; i++) {
    const Thread& t = control.threads[i];
    while (&t != self && __atomic_load_n(&t.recording.in_free_step, __ATOMIC_ACQUIRE)) take_a_nap();
  }
}

void set_holder(Object& o, uint32_t word) {
  if (word == kModelDecides || word == kFree) return;
  set_owner(o, &control.threads[(word & ~kBusy) - 1]);
  o.depth = 1;
}

}  // namespace

void free_steps_start(bool barriers_work) {
  free_steps_possible = barriers_work && !detector::in_run && !recording.detail;
  if (!free_steps_possible) return;
  locks = static_cast<Object**>(map_memory(kLockPlaces * sizeof *locks));
  sites = static_cast<Site**>(map_memory(kSitePlaces * sizeof *sites));
}

bool lock_freely(const void* mutex, uint32_t kind, void* caller) { return step_freely(mutex, kind, caller, true); }
bool unlock_freely(const void* mutex, void* caller) {
  return step_freely(mutex, HEDDLE_EV_MUTEX_UNLOCK, caller, false);
}

bool take_freely(Thread& t, uint32_t hooks) {
  return hand_over_freely(t, hooks, [] {});
}

bool answer_freely(Thread& t, uint32_t hooks) {
  return hand_over_freely(t, hooks, [&t] {
    end_term_in_hook(t);
    uint8_t asked = kRequestStop;
    __atomic_compare_exchange_n(&t.request.asked, &asked, (uint8_t)kRequestNone, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&t.recording.answers, 1, __ATOMIC_SEQ_CST);
  });
}

void remember_site(void* caller, uint32_t site) {
  if (!self->recording.latest_sites) self->recording.latest_sites = arena_new<LatestSite>(kLatestSites);
  if (find_site(caller)) return;
  Site*& first = place(sites, kSitePlaces, (uint64_t)caller);
  Site* s = arena_new<Site>();
  *s = {first, (uint64_t)caller, site};
  __atomic_store_n(&first, s, __ATOMIC_RELEASE);
}

bool free_step_defers(int signo, const void* info, void* context) {
  Thread* t = self;
  if (!t || !t->recording.in_free_step || t->recording.deferred_signal) return false;
  t->recording.deferred_signal = (uint32_t)signo;
  __builtin_memcpy(t->recording.deferred_info, info, sizeof t->recording.deferred_info);
  const uint64_t one = 1ull << (signo - 1);
  auto* mask = reinterpret_cast<uint64_t*>(&static_cast<ucontext_t*>(context)->uc_sigmask);
  *mask |= one;  // until the step has ended
  return true;
}

void await_model(Object& o) {
  for (int looks = 0;; looks++) {
    uint32_t word = __atomic_load_n(&o.free_word, __ATOMIC_ACQUIRE);
    if (word == kModelDecides) return;
    if (!(word & kBusy)) {
      if (turn(o, word, kModelDecides)) {
        baton_comes_after(o.last_step, o.last_by);
        return set_holder(o, word);
      }
    } else if (looks > spins(1000)) {
      take_a_nap();
    }
    __builtin_ia32_pause();
  }
}

void free_if_plain(Object& o) {
  if (o.owner || o.lock_waits || o.used_with_cond || !is_plain((void*)o.address)) return;
  baton_comes_after(self->recording.step_clock, self->index);
  o.last_step = baton_clock.number;
  o.last_by = baton_clock.by;
  __atomic_store_n(&o.free_word, (uint32_t)kFree, __ATOMIC_RELEASE);
  Object*& known = place(locks, kLockPlaces, o.address);
  if (known != &o) __atomic_store_n(&known, &o, __ATOMIC_RELEASE);
}

void let_model_decide_all() {
  for_all_objects([](Object& o) {
    if (o.kind != HEDDLE_EV_MUTEX_LOCK || o.dropped) return;
    set_holder(o, __atomic_exchange_n(&o.free_word, (uint32_t)kModelDecides, __ATOMIC_ACQUIRE));
  });
}

void forbid_free_steps() {
  __atomic_fetch_add(&forbidden, 1, __ATOMIC_SEQ_CST);
  await_free_steps();
  for (uint32_t i = 0; i < control.thread_count; i++) baton_comes_after(clock_of(control.threads[i]), i);
}

NoFreeSteps::NoFreeSteps() {
  if (free_steps_possible) forbid_free_steps();
}
NoFreeSteps::~NoFreeSteps() {
  if (!free_steps_possible) return;
  raise_floor(baton_clock.number + 1);
  __atomic_fetch_sub(&forbidden, 1, __ATOMIC_SEQ_CST);
}

void end_free_steps() {
  static bool ended;
  if (!free_steps_possible || ended) return;
  ended = true;
  forbid_free_steps();
  let_model_decide_all();
}

}  // namespace heddle::rt
