// Steps of a recording: who comes first, goes first. A thread whose operation cannot be executed yet sleeps until the
// model has changed so that it can.
#include <sys/syscall.h>
#include <time.h>

#include "runtime/arena.h"
#include "runtime/control/backend.h"
#include "runtime/control/control.h"
#include "runtime/control/recording.h"
#include "runtime/control/fail.h"
#include "runtime/control/io.h"
#include "runtime/model/object.h"
#include "runtime/parallel/free_steps.h"
#include "runtime/parallel/owners.h"
#include "runtime/parallel/parallel.h"
#include "runtime/parallel/step_log.h"
#include "runtime/parallel/terms.h"
#include "runtime/parallel/waiters.h"

namespace heddle::rt {

namespace {

uint32_t *waiting, *ended;  // thread indices; not static: pages that controlled runs need would lie further apart
OwnLine<uint32_t> waiting_count, ended_count;
uint64_t started_ns;

uint64_t monotonic() {
  timespec t{};
  raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void forget_waiting(uint32_t index) {
  for (uint32_t i = 0; i < waiting_count.value; i++)
    if (waiting[i] == index) {
      waiting[i] = waiting[--waiting_count.value];
      return;
    }
}

// Everybody waits, nobody is outside, no time-out is left: no schedule goes on from here.
void check_deadlock() {
  if (control.out || waiting_count.value < control.live || io_others_may_act) return;
  for (uint32_t i = 0; i < waiting_count.value; i++) {
    Thread& t = control.threads[waiting[i]];
    if (t.expiry.deadline || can_run(t)) return;
  }
  if (control.live) fail_deadlock();
}

enum : uint32_t { kAwake, kWoken, kAsleep };  // a thread's wake_word while it waits

// False: it was woken before.
bool falls_asleep(Thread& t) {
  uint32_t awake = kAwake;
  return __atomic_compare_exchange_n(&t.backend.wake_word, &awake, (uint32_t)kAsleep, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}

// Who holds what it waits for often needs a moment only: less than it takes to sleep and to be woken.
bool is_woken_soon(Thread& t) {
  constexpr int kSpins = 200;
  for (int i = 0; i < kSpins; i++) {
    if (__atomic_load_n(&t.backend.wake_word, __ATOMIC_ACQUIRE) == kWoken) return true;
    __builtin_ia32_pause();
  }
  return !falls_asleep(t);
}

void sleep_until_ready(Thread& t) {
  waiting[waiting_count.value++] = t.index;
  check_deadlock();
  for (;;) {
    __atomic_store_n(&t.backend.wake_word, kAwake,
                     __ATOMIC_SEQ_CST);  // before it looks: a signal that comes later makes it look again
    if (can_run(t)) break;
    uint64_t timeout = 0;
    if (t.expiry.deadline) {
      if ((control.now = real_elapsed()) >= t.expiry.deadline) break;
      timeout = t.expiry.deadline - control.now;
    }
    HEDDLE_CAPTURE_REGS(*t.info);
    uint32_t depth = baton_lose(t);
    if (t.op.kind == HEDDLE_EV_SLEEP ? falls_asleep(t) : !is_woken_soon(t))
      futex_wait(&t.backend.wake_word, kAsleep, timeout);
    baton_regain(t, depth);
    if (t.expiry.deadline) control.now = real_elapsed();
  }
  forget_waiting(t.index);
}

}  // namespace

void parallel_start() {
  waiting = arena_new<uint32_t>(HEDDLE_MAX_THREADS);
  ended = arena_new<uint32_t>(HEDDLE_MAX_THREADS);
  step_log_start();
  started_ns = monotonic();
  objects_start();
  free_steps_start(plain_code_start());
}

uint64_t real_elapsed() { return monotonic() - started_ns; }

void look_again(Thread& t) { __atomic_store_n(&t.backend.wake_word, (uint32_t)kWoken, __ATOMIC_SEQ_CST); }

Thread* next_waiter() {
  if (HEDDLE_LIKELY(!control.dirty)) return nullptr;
  for (uint32_t i = 0; i < waiting_count.value; i++) {
    Thread& t = control.threads[waiting[i]];
    if (__atomic_load_n(&t.backend.wake_word, __ATOMIC_RELAXED) == kWoken || !can_run(t)) continue;
    return __atomic_exchange_n(&t.backend.wake_word, (uint32_t)kWoken, __ATOMIC_SEQ_CST) == kAsleep ? &t : nullptr;
  }
  control.dirty = false;
  return nullptr;
}

Wake parallel_turn(Thread& t, const Op& op, Ready ready, void* argument, uint64_t deadline, bool) {
  t.op = op;
  if (HEDDLE_LIKELY(!ready || ready(argument))) {
    log_step(t, op, 0);
    return Wake::kReady;
  }
  t.ready = ready;
  t.argument = argument;
  t.expiry.deadline = deadline;
  t.state = HEDDLE_T_PENDING;
  HeddleThreadInfo& info = *t.info;
  info.pending_kind = op.kind;
  info.pending_site = op.site;
  info.pending_object = op.object;
  info.pending_address = op.address;
  info.deadline_ns = deadline;
  info.state = HEDDLE_T_PENDING;
  if (HEDDLE_UNLIKELY(!can_run(t))) {
    if (!deadline && in_lock_cycle(t)) fail_deadlock();
    sleep_until_ready(t);
  }
  log_step(t, op, 0);
  t.state = HEDDLE_T_RUNNING;
  info.state = HEDDLE_T_RUNNING;
  t.ready = nullptr;
  io_rearm();
  return !ready || ready(argument) ? Wake::kReady : Wake::kTimedOut;
}

namespace {
void nothing() {}
void arrive(Thread& t) {
  baton_regain(t, 1);
  fail_thread_start();
  log_step(t, t.op, 0);
  baton_give(t);
}
void nothing_about(Thread&) {}
}  // namespace

const Backend parallel_backend{"parallel", nothing, nothing_about, arrive, nothing_about,
                               nullptr,    nullptr, nullptr,       nullptr};

void parallel_leave(Thread& t) {
  HEDDLE_CAPTURE_REGS(*t.info);
  t.state = HEDDLE_T_OUT;
  t.info->state = HEDDLE_T_OUT;
  control.out++;
  t.recording.outside_depth = baton_lose(t);
}

void parallel_come_back(Thread& t) { baton_regain(t, t.recording.outside_depth); }

void parallel_enter(Thread& t, const Op& op) {
  control.out--;
  t.op = op;
  log_step(t, op, 0);
  t.state = HEDDLE_T_RUNNING;
  t.info->state = HEDDLE_T_RUNNING;
  io_rearm();
}

void parallel_finished(Thread& t) {
  ended[ended_count.value++] = t.index;
  t.finished = true;
  t.state = HEDDLE_T_DONE;
  t.info->state = HEDDLE_T_DONE;
  control.dirty = true;
  if (--control.live) check_deadlock();
  baton_finish(t);
}

void await_ended_threads() {
  constexpr long kGone = -3;  // ESRCH
  while (ended_count.value) {
    timespec nap{0, 20'000};
    if (raw_syscall(SYS_tgkill, real_pid, control.threads[ended[ended_count.value - 1]].info->tid, 0) == kGone)
      ended_count.value--;
    else
      raw_syscall(SYS_nanosleep, &nap, nullptr);
  }
}

}  // namespace heddle::rt
