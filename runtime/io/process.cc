// Process identity and processes: ids, fork, exec, exit, signals to others, CPUs, and the ways out of control.
#include <sched.h>

#include <unistd.h>

#include "runtime/control/backend.h"
#include "runtime/control/debugger.h"
#include "runtime/control/light.h"
#include "runtime/control/recording.h"
#include "runtime/control/fail.h"
#include "runtime/io/kernel_signal.h"
#include "runtime/io/outgoing.h"
#include "runtime/io/shared_files.h"
#include "runtime/parallel/free_steps.h"
#include "runtime/parallel/terms.h"
#include "runtime/environment.h"
#include "runtime/control/strategy.h"
#include "runtime/sync/fork_child.h"
#include "runtime/real/next.h"
#include "runtime/sync/process_shared.h"
#include "runtime/real/real.h"

extern "C" long heddle_clone_in_context(const long* gregs, long resume);

namespace heddle::rt {
namespace {

constexpr uint64_t kCloneFork = CLONE_VFORK | 0xff | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID;

struct CloneRequest {
  uint64_t flags, stack;
};

CloneRequest parse_clone(const Call& c) {
  if (c.number == SYS_fork) return {SIGCHLD, 0};
  if (c.number == SYS_vfork) return {CLONE_VFORK | SIGCHLD, 0};
  if (c.number == SYS_clone) return {(uint64_t)c.a[0], (uint64_t)c.a[1]};
  uint64_t args[7] = {};  // clone3: flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size
  if (!read_program(args, c.a[0], sizeof args)) return {0, 0};
  return {args[0], args[5]};
}

// The parent's memory is not lent to the child: it would run on the frames of this handler. CLONE_VFORK stays, so the
// parent still waits for the child's exec.
long fork_now(const Call& c, const CloneRequest& q) {
  if (c.number == SYS_clone3 && c.a[1] <= 128) {
    uint64_t args[16] = {};
    if (!read_program(args, c.a[0], (size_t)c.a[1])) return -EFAULT;
    args[0] &= ~(uint64_t)CLONE_VM;
    return raw_syscall(SYS_clone3, args, c.a[1]);
  }
  if (c.number == SYS_clone) return raw_syscall(SYS_clone, q.flags & ~(uint64_t)CLONE_VM, 0, c.a[2], c.a[3], c.a[4]);
  return raw_syscall(SYS_clone, q.flags & kCloneFork, 0, 0, 0, 0);
}

long clone_now(const Call& c, const CloneRequest& q) {
  if (q.stack)
    return heddle_clone_in_context((const long*)c.context->uc_mcontext.gregs, c.context->uc_mcontext.gregs[REG_RIP]);
  return fork_now(c, q);
}

// In the child of a fork: it has one thread, nobody controls it, and the kernel has switched dispatch off.
void become_uncontrolled() {
  Thread* me = self;
  mode = Mode::kAbandoned;
  set_self(nullptr);  // hooks look at this only
  discipline.fork();
  io_selector = 0;
  if (me) model_to_memory(*me);
}

long fed(Call& c) {
  long result = stream_expect(c).result;
  stream_consume(c.thread, io_of(c.thread));
  return result;
}

void recorded(const Call& c, long result) {
  RecordWriter out;
  out.commit(c.thread, HEDDLE_IN_SYSCALL, (uint16_t)c.number, result, 0);
}

// posix_spawn's child shares our memory until its exec and reports a failure there: in the frames just above the call.
// What it changed is recorded as words {offset, value}, since a replay has no child.
class BorrowedFrames {
 public:
  explicit BorrowedFrames(const Call& c) : base_(c.context->uc_mcontext.gregs[REG_RSP]) {
    known_ = read_program(before_, base_, sizeof before_);
  }
  void record(RecordWriter& out) const {
    uint32_t now[kWords];
    if (!known_ || !read_program(now, base_, sizeof now)) return;
    for (uint32_t i = 0; i < kWords; i++) {
      uint32_t change[2] = {i, now[i]};
      if (now[i] != before_[i]) out.append(change, sizeof change);
    }
  }
  static void feed(const Call& c, const HeddleInput& r) {
    for (uint32_t at = 0; at + 8 <= r.size - outgoing_bytes(r); at += 8) {
      uint32_t change[2];
      __builtin_memcpy(change, data_of(r) + at, sizeof change);
      if (change[0] < kWords) write_program(c.context->uc_mcontext.gregs[REG_RSP] + change[0] * 4ull, &change[1], 4);
    }
  }

 private:
  static constexpr uint32_t kWords = 256;
  uint64_t base_;
  uint32_t before_[kWords];
  bool known_;
};

}  // namespace

Thread* thread_by_tid(Thread& from, long tid) {
  ThreadIo& io = io_of(from);
  if (tid == from.info->tid || tid == io.told_tid) return &from;
  if (Thread* t = light_by_id(tid); t && !t->finished) return t;
  for (uint32_t i = 0; i < thread_count(); i++) {
    Thread& t = thread(i);
    bool told = t.io.state && static_cast<ThreadIo*>(t.io.state)->told_tid == tid;
    if (t.info && (told || t.info->tid == tid) && !t.finished) return &t;
  }
  return nullptr;
}

namespace {

bool is_own_pid(long pid) { return pid == real_pid || (feeding() && pid == told_pid); }

struct Target {
  bool own;
  Thread* thread;  // null: the process
  int signo;
  const siginfo_t* info;
};

Target target_of(Call& c) {
  switch (c.number) {
    case SYS_kill: return {is_own_pid(c.a[0]), nullptr, (int)c.a[1], nullptr};
    case SYS_rt_sigqueueinfo: return {is_own_pid(c.a[0]), nullptr, (int)c.a[1], (const siginfo_t*)c.a[2]};
    case SYS_tkill: {
      Thread* t = thread_by_tid(c.thread, c.a[0]);
      return {t != nullptr, t, (int)c.a[1], nullptr};
    }
    default: {  // tgkill, rt_tgsigqueueinfo
      Thread* t = thread_by_tid(c.thread, c.a[1]);
      return {t && is_own_pid(c.a[0]), t, (int)c.a[2], c.number == SYS_tgkill ? nullptr : (const siginfo_t*)c.a[3]};
    }
  }
}

uint64_t virtual_cpu_mask() {
  uint32_t n = region->run.virtual_cpus ? region->run.virtual_cpus : 2;
  return n >= 64 ? ~0ull : (1ull << n) - 1;
}

}  // namespace

long call_native(Call& c) {
  note("system call %s leads out of control: it is executed as it is, also in a replay", c.policy.name);
  return execute(c);
}

long call_getpid(Call& c) {
  if (feeding()) return told_pid = fed(c);
  recorded(c, real_pid);
  return real_pid;
}

long call_gettid(Call& c) {
  ThreadIo& io = io_of(c.thread);
  if (feeding()) return io.told_tid = fed(c);
  // Its own kernel thread, also when a fiber runs on the carrier.
  give_kernel_thread(c.thread);
  long tid = c.thread.info->tid > 0 ? c.thread.info->tid : execute(c);
  recorded(c, tid);
  return io.told_tid = tid;
}

bool io_others_may_act;

namespace {

bool timer_set;
uint32_t timer_naps;

// Real time for what is not under control, at most `most` times in a run.
bool nap(uint32_t& naps, uint32_t most) {
  if (++naps > most) return false;
  timespec time{0, 20'000'000};
  if (!feeding()) raw_syscall(SYS_nanosleep, &time, nullptr);
  return true;
}

}  // namespace

bool io_timer_may_fire() {
  constexpr uint32_t kMostNaps = 250;  // five seconds: before it is taken for a hang
  return timer_set && nap(timer_naps, kMostNaps);
}

void timers_run_outside() {
  io_others_may_act = timer_set = true;
  inside_changed();
}

void io_timer_fired() { timer_naps = 0; }

bool io_let_others_act() {
  constexpr uint32_t kMostNaps = 3000;  // a minute
  static uint32_t naps;
  return io_others_may_act && nap(naps, kMostNaps);
}

// What pthread_create() asks for.
constexpr uint64_t kThreadOfLibc = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD |
                                   CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

static void note_lost_timers() {
  note(
      "the program has a timerfd: it runs in virtual time, and to another process, or to the program that follows an "
      "exec, it never expires");
}

long call_clone(Call& c) {
  CloneRequest q = parse_clone(c);
  if (!controlled() || !self) return clone_now(c, q);
  // It would take itself for its creator, in our code and in libc's.
  if ((q.flags & CLONE_THREAD) && !(q.flags & CLONE_SETTLS)) {
    copy_text(region->result.escape, sizeof region->result.escape,
              "a thread was made by a bare clone() and shares its creator's thread-local storage: use pthread_create");
    end_run(kFailedStatus);
  }
  if (q.flags & CLONE_THREAD) {
    note(q.flags == kThreadOfLibc ? "libc made a thread of its own (timer_create() with SIGEV_THREAD, or POSIX aio): "
                                    "it runs uncontrolled, and the program may wait for it "
                                    "in vain; use timerfd, or threads that the program makes itself"
                                  : "a thread was made by a bare clone(): it runs uncontrolled; use pthread_create");
    io_others_may_act = threads_run_uncontrolled = true;
    inside_changed();
    return clone_now(c, q);
  }
  // libc's fork() calls us with the locks of malloc and stdio in hand: others must not run now. Its point is in fork()
  // below.
  if (q.stack) point(op_of(c, HEDDLE_EV_FORK));
  note_environment_given_away();
  io_others_may_act = true;
  inside_changed();
  if (!(q.flags & CLONE_VM)) {
    process_shared_to_memory();
    if (!feeding()) shared_files_inherited();
  }
  // A command that libc starts, as the exec that its child will make.
  const Command* const command = io_of(c.thread).command;
  Call starts{SYS_execve, {}, nullptr, c.site, c.thread, policy_of(SYS_execve)};
  if (command)
    starts.a[0] = (long)command->path, starts.a[1] = (long)command->argv, starts.a[2] = (long)command->environment;
  Outgoing outgoing(starts);
  outgoing.taken(starts, 0);
  if (feeding()) {
    const HeddleInput& r = stream_expect(c);
    if (r.reserved & kInputOut) outgoing.compare(starts, r);
    BorrowedFrames::feed(c, r);
    return fed(c);
  }
  note(
      "the program starts another process by %s: that one runs uncontrolled, so equal seeds may give different "
      "answers, and a replay does not start it again",
      c.policy.name);
  if (has_timer_descriptors()) note_lost_timers();
  BorrowedFrames frames(c);
  lent = q.stack && (q.flags & CLONE_VM);
  if (lent) set_self(nullptr);
  long result = clone_now(c, q);
  lent = false;
  set_self(&c.thread);
  if (result == 0) {
    become_uncontrolled();
    return 0;
  }
  RecordWriter out;
  if (q.stack && (q.flags & CLONE_VM)) frames.record(out);
  if (command) outgoing.append(out);
  // What the other process does can be seen from now on.
  out.commit(c.thread, HEDDLE_IN_SYSCALL, (uint16_t)c.number, result,
             kInputDepends | kInputChanges | (command ? (uint32_t)kInputOut : 0));
  return result;
}

namespace {

// The new program runs uncontrolled, with all that it does outside: a replay does not start it.
[[noreturn]] void end_at_exec() {
  region->result.replaced = 1;
  note("the program replaces itself by exec here: the replay ends, the new program is not started again");
  debugger_stop(HEDDLE_STOP_EXIT);
  end_run(0);
}

long fed_exec(Call& c, Outgoing& outgoing) {
  const HeddleInput* r = stream_peek(io_of(c.thread));
  if (r && r->kind == HEDDLE_IN_SYSCALL && r->number == c.number) {
    outgoing.taken(c, r->result);
    outgoing.compare(c, *r);
    if (r->reserved & kInputExec) end_at_exec();
    return fed(c);  // it failed in the recording
  }
  // Traces of before this record existed have none where it succeeded.
  if (r || discipline.goes_on_behind_exec()) input_mismatch(c.thread, c.policy.name, r);
  end_at_exec();
}

}  // namespace

void step_before_exec(const Call& c) {
  const WithoutSignals here(c.thread);
  point(op_of(c, HEDDLE_EV_IO_CALL));
}

// Its record is there before it is executed, since nobody is left to write one behind it.
long call_exec(Call& c) {
  note_environment_given_away();
  const NoFreeSteps none;  // nobody takes a step between this one and the end
  if (HEDDLE_UNLIKELY(shared_files)) own_shared(c.thread, 0, ~0ull);
  discipline.step_of_exec(c);
  if (HEDDLE_UNLIKELY(shared_files)) shared_leaves(c, 0, ~0ull, false, 0);
  Outgoing outgoing(c);
  if (feeding()) return fed_exec(c, outgoing);
  note("the program replaces itself by exec: what follows runs uncontrolled");
  outgoing.taken(c, 0);
  RecordWriter out;
  outgoing.append(out);
  HeddleInput* r = out.commit(c.thread, HEDDLE_IN_SYSCALL, (uint16_t)c.number, 0, kInputOut | kInputExec);
  region->result.replaced = 1;
  publish_events();  // nobody can any more, if it succeeds
  if (has_timer_descriptors()) note_lost_timers();
  timers_before_exec(true);
  const long result = execute(c);
  timers_before_exec(false);
  region->result.replaced = 0;
  outgoing.taken(c, result);
  if (!r) return result;
  r->result = result;
  outgoing.replace(*r);
  r->reserved &= ~kInputExec;
  return result;
}

long call_exit(Call& c) {
  io_own_shared_at_end();
  exit_point(c.site);
  io_shared_at_end(c.site, false);
  note_exit((int)c.a[0]);
  return execute(c);
}

// It says itself who it is, before it needs anything from us.
void await_kernel_thread(const Thread& t) {
  timespec nap{0, 20'000};
  while (!__atomic_load_n(&t.info->tid, __ATOMIC_ACQUIRE)) raw_syscall(SYS_nanosleep, &nap, nullptr);
}

namespace {
// To itself: the kernel thread that runs now, so that it arrives before the call returns. 
long kernel_thread_of(Thread& t, int signo) {
  if (&t == self) return raw_syscall(SYS_gettid);
  // A fiber's own kernel thread is parked and blocks everything; what the thread lets in is not handled, so it concerns
  // the process.
  const bool lets_in = !(io_of(t).mask & 1ull << (signo - 1));
  if (on_fibers() && t.state != HEDDLE_T_OUT && lets_in) return raw_syscall(SYS_gettid);
  if (on_fibers() && !lets_in) move_to_real_threads("a signal that its thread blocks");
  discipline.await_kernel_thread(t);
  return t.info->tid;
}
}  // namespace

long call_kill(Call& c) {
  Target to = target_of(c);
  if (!to.own) return call_recorded(c);
  if (to.signo == 0) return 0;
  if (to.signo < 0 || to.signo > 64) return -EINVAL;
  if (signals_at_points && !to.thread) point(op_of(c, HEDDLE_EV_IO_CALL));  // what the others do before it is a choice
  if (send_own_signal(c.thread, to.thread, to.signo, to.info)) return 0;
  bool queue = c.number == SYS_rt_sigqueueinfo || c.number == SYS_rt_tgsigqueueinfo;
  if (!to.thread)
    return queue ? raw_syscall(SYS_rt_sigqueueinfo, real_pid, to.signo, to.info)
                 : raw_syscall(SYS_kill, real_pid, to.signo);
  const long tid = kernel_thread_of(*to.thread, to.signo);
  return queue ? raw_syscall(SYS_rt_tgsigqueueinfo, real_pid, tid, to.signo, to.info)
               : raw_syscall(SYS_tgkill, real_pid, tid, to.signo);
}

long call_timer(Call& c) {
  if (!timers_are_virtual && c.number != SYS_timerfd_settime) timers_run_outside();
  return call_recorded(c);
}

// Into itself: memory like any other, made again. Into others: it leaves the program.
long call_vmwrite(Call& c) {
  if (!is_own_pid(c.a[0])) return call_recorded(c);
  c.a[0] = real_pid;
  return execute(c);
}

// The process is pinned for speed; the program is told about virtual CPUs and may believe what it likes.
long call_affinity(Call& c) {
  if (c.number == SYS_sched_setaffinity) return 0;
  uint64_t mask = virtual_cpu_mask();
  if ((uint64_t)c.a[1] < sizeof mask) return -EINVAL;
  return write_program(c.a[2], &mask, sizeof mask) ? (long)sizeof mask : -EFAULT;
}

long call_getcpu(Call& c) {
  uint32_t zero = 0;
  for (int i = 0; i < 2; i++)
    if (c.a[i] && !write_program(c.a[i], &zero, sizeof zero)) return -EFAULT;
  return 0;
}

}  // namespace heddle::rt

HEDDLE_EXPORT pid_t fork() {
  using namespace heddle::rt;
  Inside inside;
  if (controlled() && self && self->state == HEDDLE_T_RUNNING) point(HEDDLE_CALL_OP(FORK, 0, 0));
  return HEDDLE_REAL(fork)();
}

// glibc reads it from the rseq area, without a system call.
HEDDLE_EXPORT int sched_getcpu() noexcept {
  using namespace heddle::rt;
  if (controlled()) return 0;
  return HEDDLE_NEXT(int (*)(), "sched_getcpu")();
}

// libc's holds a lock of the target while it makes the system call, and a thread at its end takes that lock natively:
// in a recording who meets whom there would be up to chance.
HEDDLE_EXPORT int pthread_kill(pthread_t handle, int signo) {
  using namespace heddle::rt;
  auto* const real = HEDDLE_NEXT(int (*)(pthread_t, int), "pthread_kill");
  if (!controlled() || !self) return real(handle, signo);
  return discipline.kill(handle, signo, real, __builtin_return_address(0));
}

// What the others do before it is a choice. Not at libc's system call: it has that lock then.
int heddle::rt::controlled_kill(pthread_t handle, int signo, int (*real)(pthread_t, int), void* caller) {
  if (signals_at_points && self->state == HEDDLE_T_RUNNING && handle != pthread_self())
    point(Op{HEDDLE_EV_IO_CALL, pc_site(caller), 0, 0});
  return real(handle, signo);
}

int heddle::rt::model_kill(pthread_t handle, int signo, int (*)(pthread_t, int), void*) {
  Inside inside;
  if (signo < 0 || signo > 64) return EINVAL;
  for (uint32_t i = thread_count(); i-- > 0;) {
    Thread& t = thread(i);
    if (t.sync.handle != handle || t.sync.joined) continue;
    if (t.finished || signo == 0) return 0;
    if (send_own_signal(*self, &t, signo, nullptr)) {
      if (&t == self) io_deliver_signals();  // before the call returns
      return 0;
    }
    return (int)-raw_syscall(SYS_tgkill, real_pid, kernel_thread_of(t, signo), signo);
  }
  return ESRCH;
}
