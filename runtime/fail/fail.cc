#include "runtime/control/fail.h"

#include <sys/syscall.h>

#include "abi/cut_off.h"
#include "runtime/control/control.h"
#include "runtime/control/debugger.h"
#include "runtime/control/discipline.h"
#include "runtime/control/recording.h"
#include "runtime/control/scheduler.h"
#include "runtime/control/io.h"
#include "runtime/parallel/parallel.h"
#include "runtime/real/real.h"

namespace heddle::rt {

Verdict verdict;
bool threads_run_uncontrolled;

namespace {
bool failing;
}

void copy_text(char* to, size_t size, const char* from) {
  size_t i = 0;
  for (; from && from[i] && i + 1 < size; i++) to[i] = from[i];
  to[i] = 0;
}

namespace {

// A thread that has left control (libc ends it natively) is known by its descriptor, which is in place on fibers too;
// the youngest, since descriptors are used again.
Thread* of_this_descriptor() {
  const pthread_t handle = pthread_self();
  for (uint32_t i = control.thread_count; i-- > 1;)
    if (control.threads[i].sync.handle == handle) return &control.threads[i];
  return nullptr;
}
Thread* of_this_kernel_thread() {
  int tid = (int)raw_syscall(SYS_gettid);
  for (uint32_t i = control.thread_count; i-- > 0;)
    if (control.threads[i].info->tid == tid) return &control.threads[i];
  return nullptr;
}

}  // namespace

bool begin_failure(Thread* t) {
  if (failing) return false;
  failing = true;
  if (!t) t = of_this_descriptor();
  if (!t) t = of_this_kernel_thread();
  region->result.failure.thread = t ? t->index : 0;
  return true;
}

void commit_failure(HeddleFailureKind kind) {
  discipline.process_fails(kind);
  io_shared_at_end(0, true);
  __atomic_store_n(&region->result.failure.kind, kind, __ATOMIC_SEQ_CST);
}

void await_inspection() {
  publish_events();
  if (debugged()) return debugger_stop(HEDDLE_STOP_FAILURE);
  uint32_t generation = region->server_go;
  if (!region->run.inspect) return;
  __atomic_store_n(&region->result.awaiting_host, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&region->host_bell, 1, __ATOMIC_SEQ_CST);
  futex_wake(&region->host_bell, 64, true);
  for (;;) {
    uint32_t seen = __atomic_load_n(&region->child_go, __ATOMIC_SEQ_CST);
    if (seen == generation) break;
    futex_wait(&region->child_go, seen, 0, true);
  }
  __atomic_store_n(&region->result.awaiting_host, 0, __ATOMIC_SEQ_CST);
}

namespace {

bool a_lock_cycle_is_closed() {
  for (uint32_t i = 0; i < control.thread_count; i++)
    if (!control.threads[i].finished && control.threads[i].state == HEDDLE_T_PENDING &&
        in_lock_cycle(control.threads[i]))
      return true;
  return false;
}

// Of the program nothing is known but that it was not at its end: no failure, and no stacks.
[[noreturn]] void cut_off(uint32_t why) {
  if (begin_failure(self)) region->result.overflow |= why;
  end_run(0);
}

}  // namespace

void fail_deadlock() {
  if (threads_run_uncontrolled && !region->run.feed && !a_lock_cycle_is_closed()) cut_off(HEDDLE_CUT_OFF_UNCONTROLLED);
  Thread* t = self;
  if (t) HEDDLE_CAPTURE_REGS(*t->info);
  if (begin_failure(t)) {
    commit_failure(HEDDLE_FAIL_DEADLOCK);
    await_inspection();
  }
  end_run(kFailedStatus);
}

namespace {

bool blocked_for_ever(const Thread& t) {
  return t.state == HEDDLE_T_PENDING && t.ready && !t.expiry.deadline && !t.ready(t.argument) &&
         !(t.sync.cancel_requested && cancel_wakes(const_cast<Thread&>(t)));
}

// Somebody is blocked for ever, and all others do is to sleep again and again (a watchdog): a deadlock of those who do
// not.
bool only_sleepers_are_left() {
  bool blocked = false;
  for (uint32_t i = 0; i < control.thread_count; i++) {
    const Thread& t = control.threads[i];
    if (t.finished) continue;
    if (blocked_for_ever(t))
      blocked = true;
    else if (t.op.kind != HEDDLE_EV_SLEEP)
      return false;
  }
  return blocked;
}

// A claim about fair schedules: in its second half the run was scheduled fairly, and in nearly all of that nothing
// changed that lasts. Threads that change something at every step may be at their end one step later.
bool nothing_changed_before_the_bound() {
  return control.quiet_steps > control.max_steps / 8 * 3 && !control.out && control.next_deadline == ~0ull;
}

}  // namespace

void fail_livelock(Thread& t) {
  const bool at_bound = control.steps >= control.max_steps;
  if (at_bound && !nothing_changed_before_the_bound()) cut_off(HEDDLE_CUT_OFF_STEPS);
  if (threads_run_uncontrolled && !region->run.feed) cut_off(HEDDLE_CUT_OFF_UNCONTROLLED);
  if (!at_bound && only_sleepers_are_left()) fail_deadlock();
  if (self) HEDDLE_CAPTURE_REGS(*self->info);
  if (begin_failure(&t)) {
    copy_text(region->result.failure.message, sizeof region->result.failure.message,
              at_bound ? "threads spun without progress until the step bound was reached, also under a fair schedule"
              : control.quiet_steps > kQuietIsLivelock && control.fair_steps >= kQuietIsLivelock / 2
                  ? "threads spin without progress, also under a fair schedule"
                                                       : "threads spin without progress");
    commit_failure(HEDDLE_FAIL_LIVELOCK);
    await_inspection();
  }
  end_run(kFailedStatus);
}

void fail_race(const HeddleRace& race) {
  if (!region->run.fail_on_race || !self) return;
  HEDDLE_CAPTURE_REGS(*self->info);
  if (!begin_failure(self)) return;
  region->result.failure.fault_address = race.address;
  copy_text(region->result.failure.message, sizeof region->result.failure.message, "data race");
  commit_failure(HEDDLE_FAIL_RACE);
  await_inspection();
  end_run(kFailedStatus);
}

bool in_lock_cycle(Thread& t) {
  const HeddleObjectInfo* objects = area<HeddleObjectInfo>(HEDDLE_AREA_OBJECTS);
  const Thread* at = &t;
  for (uint32_t hops = 0; hops <= control.thread_count; hops++) {
    if (at->state != HEDDLE_T_PENDING || at->expiry.deadline || !at->ready || at->ready(at->argument)) return false;
    uint32_t next;
    switch (at->op.kind) {
      case HEDDLE_EV_MUTEX_LOCK:
      case HEDDLE_EV_SPIN_LOCK:
      case HEDDLE_EV_RW_RDLOCK:
      case HEDDLE_EV_RW_WRLOCK:
      case HEDDLE_EV_ONCE: {
        uint32_t owner = at->op.object ? objects[at->op.object - 1].owner : 0;
        if (!owner) return false;
        next = owner - 1;
        break;
      }
      case HEDDLE_EV_THREAD_JOIN: next = (uint32_t)at->op.address; break;
      default: return false;
    }
    if (next >= control.thread_count) return false;
    at = &control.threads[next];
    if (at == &t) return true;
  }
  return false;
}

void exit_point(uint32_t site) {
  const Thread& t = *self;
  const uint64_t here = (uint64_t)__builtin_frame_address(0);
  if (t.state != HEDDLE_T_RUNNING || t.in_runtime || here < t.stack_low || here >= t.stack_high) return;
  if (raw_syscall(SYS_getpid) == real_pid) point(Op{HEDDLE_EV_EXIT, site, 0, 0});
}

void note_exit(int status) {
  if (!region || mode != Mode::kControlled) return;
  region->result.exit_status = status;
  region->result.exit_called = 1;
  region->result.exit_thread = self ? self->index + 1 : 0;
  discipline.process_exits();
  publish_events();
  debugger_stop(HEDDLE_STOP_EXIT);
}

}  // namespace heddle::rt

using namespace heddle::rt;

namespace {

[[noreturn]] void end_process(int status, void* caller) {
  if (lent) raw_syscall(SYS_exit_group, status);
  Inside inside;
  if (controlled() && self) {
    const uint32_t site = pc_site(caller);
    io_own_shared_at_end();
    exit_point(site);
    io_shared_at_end(site, false);
  }
  note_exit(status);
  raw_syscall(SYS_exit_group, status);
  __builtin_trap();
}

}  // namespace

HEDDLE_EXPORT void _exit(int status) { end_process(status, __builtin_return_address(0)); }
HEDDLE_EXPORT void _Exit(int status) { end_process(status, __builtin_return_address(0)); }
