// Signals with a handler of the program (faults are runtime/fail/'s): the kernel's delivery only queues them; the
// handler runs at the next opportunity of a controlled thread, that is at the start of a point, after a system call, or
// when it is chosen for a step, before that. The number of the opportunity, or of the step, is recorded, so a replay
// runs the handler in the same place. Signals that the program sends itself are queued without the kernel.
//
// Rules of this file: queue_external() and what it calls run in a signal handler on any thread, with or without the
// baton: only atomics, raw system calls and the thread's own `stop`.
#include "runtime/arena.h"
#include "runtime/control/backend.h"
#include "runtime/control/control.h"
#include "runtime/control/recording.h"
#include "runtime/detector/detector.h"
#include "runtime/io/kernel_signal.h"
#include "runtime/io/stream.h"
#include "runtime/parallel/waiters.h"

extern "C" char heddle_blocking_begin[], heddle_blocking_end[], heddle_blocking_interrupted[];

namespace heddle::rt {
namespace {

constexpr int kSignals = 65;
constexpr uint64_t kInWait = 1ull << 62;  // in the number of an opportunity
constexpr uint64_t kAtStep = 1ull << 61;  // it is the number of a step of the thread instead
constexpr int kInterrupt = 32;  // glibc's SIGCANCEL, free because cancellation is modelled
constexpr uint64_t kFaults =
    bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) | bit(SIGABRT) | bit(SIGTRAP) | bit(SIGSYS);

KernelSigaction actions[kSignals];  // the program's idea
uint64_t known;                     // actions[] is valid
QueuedSignal* process_queue;        // [kSignals]
uint64_t process_queued;            // cross-thread: bits of process_queue that are complete
uint64_t process_filling;           // cross-thread: bits being filled

bool handles_any;  // it ever installed a handler

// What the program, or a timer of it, sent to a thread that blocks it, or to a process of which all threads do. In the
// order of sending: the kernel is not asked, since fibers share what it keeps for a thread, and who takes it from there
// is not up to the schedule.
struct Blocked {
  Thread* target;  // null: the process
  QueuedSignal signal;
};
constexpr uint32_t kMostBlocked = 128;
Blocked* blocked;  // [kMostBlocked]
uint32_t blocked_count;
bool kernel_keeps_blocked;  // there was no room, signalfd is used, or their place is not known
bool at_opportunities;      // signals_at_opportunities()
constexpr int kFirstRealtime = 34;  // as libc gives them to programs

bool has_handler(int signo) {
  return (known & bit(signo)) && actions[signo].handler != (void*)SIG_DFL && actions[signo].handler != (void*)SIG_IGN;
}

void enqueue_process(int signo, const siginfo_t& info, bool external) {
  // One at a time per number, as the kernel keeps standard signals.
  if (__atomic_fetch_or(&process_filling, bit(signo), __ATOMIC_SEQ_CST) & bit(signo)) return;
  process_queue[signo].info = info;
  process_queue[signo].external = external;
  __atomic_fetch_or(&process_queued, bit(signo), __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&region->result.signals, 1, __ATOMIC_SEQ_CST);
}

void leave_blocking_call(Thread& t, ucontext_t* uc) {
  if (t.io.state) __atomic_store_n(&static_cast<ThreadIo*>(t.io.state)->stop, 1, __ATOMIC_SEQ_CST);
  char* pc = (char*)uc->uc_mcontext.gregs[REG_RIP];
  if (pc >= heddle_blocking_begin && pc < heddle_blocking_end)
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)heddle_blocking_interrupted;
}

void on_interrupt(int, siginfo_t*, void* context) {
  if (controlled() && self && self->info->tid == raw_syscall(SYS_gettid))
    leave_blocking_call(*self, static_cast<ucontext_t*>(context));
}

// The kernel gave the signal to a thread that waits for its turn; one that is out in a blocking call has to hear of it.
void pass_on(int signo) {
  for (uint32_t i = 0; i < thread_count(); i++) {
    Thread& t = thread(i);
    bool blocks = !t.io.state || (static_cast<ThreadIo*>(t.io.state)->mask & bit(signo));
    if (t.state != HEDDLE_T_OUT || blocks || !t.info) continue;
    raw_syscall(SYS_tgkill, real_pid, t.info->tid, kInterrupt);
    return;
  }
}

long install(int signo, const KernelSigaction& wanted);

using HandlerFunction = void (*)(int, siginfo_t*, void*);

void queue_external(int signo, siginfo_t* info, void* context) {
  if (!controlled()) {
    if (has_handler(signo)) ((HandlerFunction)actions[signo].handler)(signo, info, context);
    return;
  }
  // What the program sends itself does not come this way, but for what every thread blocks (send_own_signal). SIGPIPE
  // does.
  if (feeding()) return;  // a replay has its signals in the recording
  if (signo == SIGPIPE && self && self->io.state && io_of(*self).sending) {
    // For this thread alone, which does not have the baton: another one could take it. It comes again (buffers.cc).
    io_of(*self).pipe_broke = true;
    io_of(*self).broken_pipe = *info;
    return;
  }
  enqueue_process(signo, *info, true);
  __atomic_add_fetch(&control.returns, 1, __ATOMIC_SEQ_CST);  // whoever chooses next looks at everybody again
  if (!self) return pass_on(signo);  // a thread that starts or ends: not a place that a replay could find again
  discipline.signal_came(*self);
  // On the carrier of fibers `self` is whoever ran last, which need not be here.
  bool here = self->state == HEDDLE_T_OUT && self->info->tid == raw_syscall(SYS_gettid);
  if (here) leave_blocking_call(*self, static_cast<ucontext_t*>(context));
  if (!here && self->state != HEDDLE_T_RUNNING) pass_on(signo);
}

void run_handler(Thread& t, const siginfo_t& info, bool external, ucontext_t* context) {
  ThreadIo& io = io_of(t);
  int signo = info.si_signo;
  if (signo < 1 || signo >= kSignals || !has_handler(signo)) return;
  if (external) io_timer_fired();
  if (discipline.signal_is_input(external) && !feeding()) {
    RecordWriter out;
    out.append(&info, sizeof info);
    // It may come from what the program did: a timer, a child, a broken pipe.
    out.commit(t, HEDDLE_IN_SIGNAL, (uint16_t)signo, (int64_t)io.here, kInputDepends);
  }
  KernelSigaction action = actions[signo];
  if (action.flags & SA_RESETHAND) {
    actions[signo].handler = (void*)SIG_DFL;
    install(signo, actions[signo]);
  }
  if (detector::on) detector::io_acquire(t);  // after whoever sent it, set its timer, or installed the handler
  uint64_t saved = io.mask;
  io.mask |= without_sigsys(action.mask) | (action.flags & SA_NODEFER ? 0 : bit(signo));
  siginfo_t copy = info;
  ucontext_t none;
  if (!context) __builtin_memset(&none, 0, sizeof none);
  {
    Outside outside(t);
    ((HandlerFunction)action.handler)(signo, &copy, context ? context : &none);
  }
  read_back_if_needed(
      t,
      HEDDLE_THIS_FRAME);  // it may wait on now, and the host read what it wrote last before it comes to its next hook
  io.mask = saved;
  if (HEDDLE_UNLIKELY(blocked_count)) release_blocked(t);
}

bool take_process(const ThreadIo& io, QueuedSignal* taken) {
  uint64_t due = __atomic_load_n(&process_queued, __ATOMIC_SEQ_CST) & ~io.mask;
  if (!due) return false;
  int signo = __builtin_ctzll(due) + 1;
  *taken = process_queue[signo];
  __atomic_fetch_and(&process_queued, ~bit(signo), __ATOMIC_SEQ_CST);
  __atomic_store_n(&region->result.signals, 0, __ATOMIC_SEQ_CST);
  __atomic_fetch_and(&process_filling, ~bit(signo), __ATOMIC_SEQ_CST);
  return true;
}

bool take_own(ThreadIo& io, QueuedSignal* taken) {
  uint64_t due = io.queued_mask & ~io.mask;
  if (!due) return false;
  int signo = __builtin_ctzll(due) + 1;
  *taken = io.queued[signo];
  io.queued_mask &= ~bit(signo);
  return true;
}

bool take_recorded(Thread& t, ThreadIo& io, QueuedSignal* taken) {
  const HeddleInput* r = stream_peek(io);
  if (!r || r->kind != HEDDLE_IN_SIGNAL || r->result != (int64_t)io.here || r->size != sizeof(siginfo_t)) return false;
  __builtin_memcpy(&taken->info, data_of(*r), sizeof(siginfo_t));
  taken->external = true;
  stream_consume(t, io);
  return true;
}

// The handlers may be interrupted themselves.
bool run_due(Thread& t, ThreadIo& io, uint64_t number, ucontext_t* context) {
  bool restarts = true;
  QueuedSignal s;
  while (io.here = number, (feeding() && take_recorded(t, io, &s)) || take_process(io, &s) || take_own(io, &s)) {
    int signo = s.info.si_signo;
    if (HEDDLE_UNLIKELY(blocked_count)) release_blocked(t);  // the next one of this number
    restarts &= signo > 0 && signo < kSignals && (actions[signo].flags & SA_RESTART);
    model_changed();  // others may have been thought able to take it
    run_handler(t, s.info, s.external, context);
  }
  return restarts;
}

bool deliver(Thread& t, ucontext_t* context) {
  ThreadIo& io = io_of(t);
  if (HEDDLE_LIKELY(++io.opportunities != io.signal_at && !signals_due(io))) return false;
  run_due(t, io, io.opportunities, context);
  return true;
}

// Fibers share one kernel thread: a signal is let in if any thread of the program lets it in.
void apply_mask(uint64_t mask, ucontext_t* context) {
  if (on_fibers())
    for (uint32_t i = 0; i < thread_count(); i++)
      if (Thread& t = thread(i); t.io.state && !t.finished) mask &= static_cast<ThreadIo*>(t.io.state)->mask;
  mask = without_sigsys(mask) & ~kFaults;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, 8);  // at once: what was pending is queued now
  // The return from this trap restores the mask of its frame.
  if (context) __builtin_memcpy(&context->uc_sigmask, &mask, sizeof mask);
}

void learn(int signo) {
  if (known & bit(signo)) return;
  raw_syscall(SYS_rt_sigaction, signo, nullptr, &actions[signo], 8);
  known |= bit(signo);
}

long install(int signo, const KernelSigaction& wanted) {
  KernelSigaction action = wanted;
  bool handled = wanted.handler != (void*)SIG_DFL && wanted.handler != (void*)SIG_IGN;
  action.restorer = heddle_restore_rt;
  action.flags |= kSaRestorer;
  if (handled) {
    handles_any = true;
    signals_at_points = !at_opportunities && !region->run.late_signals;
    // Never SA_RESTART: a blocking call has to come back so that the handler can run; record.cc starts it again.
    action.handler = (void*)queue_external;
    action.flags = SA_SIGINFO | kSaRestorer | (wanted.flags & (SA_NOCLDSTOP | SA_NOCLDWAIT | SA_ONSTACK));
    action.mask = without_sigsys(~0ull) & ~kFaults;
  }
  return raw_syscall(SYS_rt_sigaction, signo, &action, nullptr, 8);
}

}  // namespace

bool signals_at_points;

uint64_t without_sigsys(uint64_t mask) { return mask & ~bit(SIGSYS); }

void io_adopt_kernel_thread(Thread& t) {
  const uint64_t mask = without_sigsys(io_of(t).mask) & ~kFaults;
  io_own_altstack(t);
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, 8);
}

void io_refresh_frame(Call& c) {
  uint64_t frame = 0;
  __builtin_memcpy(&frame, &c.context->uc_sigmask, sizeof frame);
  const uint64_t mask = (without_sigsys(io_of(c.thread).mask) & ~kFaults) | (frame & kFaults);
  __builtin_memcpy(&c.context->uc_sigmask, &mask, sizeof mask);
  raw_syscall(SYS_sigaltstack, 0, &c.context->uc_stack);
}

uint64_t initial_mask(Thread& t) {
  if (t.index != 0) return io_of(thread(t.info->parent)).mask;
  uint64_t mask = 0;
  if (&t == self) raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &mask, 8);
  return mask;
}

void die_by_signal(int signo) {
  KernelSigaction action{(void*)SIG_DFL, kSaRestorer, heddle_restore_rt, 0};
  uint64_t one = bit(signo);
  raw_syscall(SYS_rt_sigaction, signo, &action, nullptr, 8);
  raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &one, nullptr, 8);
  raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), signo);
  __builtin_trap();
}

void signals_start() {
  process_queue = static_cast<QueuedSignal*>(arena_allocate_cold(sizeof(QueuedSignal) * kSignals));
  KernelSigaction interrupt{(void*)on_interrupt, SA_SIGINFO | kSaRestorer, heddle_restore_rt, 0};
  raw_syscall(SYS_rt_sigaction, kInterrupt, &interrupt, nullptr, 8);
}

bool io_deliver_signals() {
  Thread& t = *self;
  if (HEDDLE_UNLIKELY(t.in_runtime || t.state != HEDDLE_T_RUNNING)) return false;
  return deliver(t, nullptr);
}

bool io_no_signal_is_due(const Thread& t) {
  return t.io.state && !signals_due(*static_cast<const ThreadIo*>(t.io.state));
}
void io_signal_opportunity_passed(Thread& t) { io_of(t).opportunities++; }

void signals_after_call(Thread& t, ucontext_t* context) {
  if (HEDDLE_UNLIKELY(gave_baton_back(t))) return io_signal_opportunity_passed(t);  // there was none a moment ago
  deliver(t, context);
}

void io_interrupt(Thread& t) {
  if (t.state == HEDDLE_T_OUT && t.info->tid > 0) raw_syscall(SYS_tgkill, real_pid, t.info->tid, kInterrupt);
}

bool io_signals_may_come() { return handles_any; }

bool io_signal_recorded(const Thread& t) {
  if (!t.io.state || t.in_runtime) return false;
  const ThreadIo& io = *static_cast<const ThreadIo*>(t.io.state);
  return io.signal_at == (io.opportunities | kInWait);
}

bool io_signal_waits(const Thread& t) {
  if (!t.io.state || t.in_runtime) return false;
  const ThreadIo& io = *static_cast<const ThreadIo*>(t.io.state);
  return io.signal_at == (io.opportunities | kInWait) || signals_due(io);
}

bool io_signal_comes_first(const Thread& t) {
  if (!t.io.state || t.in_runtime) return false;
  const ThreadIo& io = *static_cast<const ThreadIo*>(t.io.state);
  return io.signal_at == ((t.info->steps + 1) | kAtStep) || signals_due(io);
}

bool io_signal_has_come(const Thread& t) {
  return t.io.state && signals_due(*static_cast<const ThreadIo*>(t.io.state));
}

void io_run_handlers_first(Thread& t) { run_due(t, io_of(t), t.info->steps | kAtStep, nullptr); }

bool io_run_handlers(Thread& t) {
  ThreadIo& io = io_of(t);
  bool restarts = run_due(t, io, io.opportunities | kInWait, nullptr);
  io.opportunities++;  // the next one of the same wait comes at a step of its own: a replay must not take both here
  return restarts;
}

uint64_t signals_due(const ThreadIo& io) {
  return (__atomic_load_n(&process_queued, __ATOMIC_SEQ_CST) | io.queued_mask) & ~io.mask;
}

bool restarts_after_signal(Call& c) {
  uint64_t due = signals_due(io_of(c.thread));
  if (!due) return true;  // woken for nothing
  bool restartable = true;
  switch (c.policy.wait) {
    case Wait::POLL: case Wait::SELECT: case Wait::EPOLL: case Wait::SIGWAIT: case Wait::SIGSUSPEND: case Wait::ALWAYS:
    case Wait::MESSAGE:
      restartable = false;
      break;
    default: break;
  }
  for (int signo = 1; signo < kSignals && restartable; signo++)
    if (due & bit(signo)) restartable = actions[signo].flags & SA_RESTART;
  return restartable;
}

void kernel_keeps_signals() { kernel_keeps_blocked = true; }
void signals_at_opportunities() { at_opportunities = true; }
void take_from_kernel(uint64_t set) {
  const timespec at_once{};
  raw_syscall(SYS_rt_sigtimedwait, &set, 0, &at_once, sizeof set);
}
bool keeps_blocked_signals() { return !kernel_keeps_blocked; }

namespace {

bool is_blocked_by(Thread& t, int signo) { return io_of(t).mask & bit(signo); }

void forget_blocked(uint32_t at) {
  __builtin_memmove(blocked + at, blocked + at + 1, (--blocked_count - at) * sizeof *blocked);
}

bool concerns(const Blocked& b, const Thread& t) { return !b.target || b.target == &t; }

bool somebody_takes(int signo) {
  for (uint32_t i = 0; i < thread_count(); i++)
    if (const Thread& t = thread(i);
        t.io.state && !t.finished && !(static_cast<const ThreadIo*>(t.io.state)->mask & bit(signo)))
      return true;
  return false;
}

}  // namespace

namespace {

// False: the kernel has to keep it.
bool keep_blocked(Thread* target, const QueuedSignal& signal) {
  const int signo = signal.info.si_signo;
  if (!keeps_blocked_signals()) return false;
  for (uint32_t i = 0; i < blocked_count && signo < kFirstRealtime; i++)
    if (blocked[i].target == target && blocked[i].signal.info.si_signo == signo)
      return true;  // standard signals do not queue
  if (blocked_count == kMostBlocked) return kernel_keeps_blocked = true, false;
  if (!blocked) blocked = static_cast<Blocked*>(arena_allocate_cold(sizeof(Blocked) * kMostBlocked));
  blocked[blocked_count++] = {target, signal};
  inside_changed();
  return true;
}

// The lowest number first, as the kernel does; those for the thread itself before those for the process.
uint32_t find_blocked(const Thread& t, uint64_t set) {
  uint32_t best = ~0u;
  auto rank = [](const Blocked& b) { return b.signal.info.si_signo * 2 + !b.target; };
  for (uint32_t i = 0; i < blocked_count; i++)
    if (concerns(blocked[i], t) && (set & bit(blocked[i].signal.info.si_signo)) &&
        (best == ~0u || rank(blocked[i]) < rank(blocked[best])))
      best = i;
  return best;
}

// To a thread that lets it in: its handler is due.
void queue_for(Thread& t, bool whole_process, const QueuedSignal& signal) {
  ThreadIo& io = io_of(t);
  const int signo = signal.info.si_signo;
  if (whole_process) return enqueue_process(signo, signal.info, signal.external);
  io.queued[signo] = signal;
  io.queued_mask |= bit(signo);
}

bool slot_is_free(Thread& t, bool whole_process, int signo) {
  return whole_process ? !(process_filling & bit(signo)) : !(io_of(t).queued_mask & bit(signo));
}

}  // namespace

bool has_blocked(Thread& t, uint64_t set) { return find_blocked(t, set) != ~0u; }

uint64_t blocked_signals(Thread& t) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < blocked_count; i++)
    if (concerns(blocked[i], t)) all |= bit(blocked[i].signal.info.si_signo);
  return all & io_of(t).mask;
}

bool take_blocked(Thread& t, uint64_t set, siginfo_t* info) {
  const uint32_t at = find_blocked(t, set);
  if (at == ~0u) return false;
  *info = blocked[at].signal.info;
  forget_blocked(at);
  return true;
}

void release_blocked(Thread& t) {
  for (uint32_t i = 0; i < blocked_count;) {
    const Blocked b = blocked[i];
    const int signo = b.signal.info.si_signo;
    if (!concerns(b, t) || is_blocked_by(t, signo) || (has_handler(signo) && !slot_is_free(t, !b.target, signo))) {
      i++;
      continue;
    }
    forget_blocked(i);
    if (has_handler(signo))
      queue_for(t, !b.target, b.signal);
    else
      raw_syscall(SYS_tgkill, real_pid, raw_syscall(SYS_gettid), signo);  // its default action
    model_changed();
  }
}

bool is_fatal(Thread* target, int signo) {
  if (signo < 1 || signo >= kSignals) return false;
  const bool default_action = !(known & bit(signo)) || actions[signo].handler == (void*)SIG_DFL;
  const bool harmless = signo == SIGCHLD || signo == SIGURG || signo == SIGWINCH || signo == SIGCONT;
  return default_action && !harmless && (target ? !is_blocked_by(*target, signo) : somebody_takes(signo));
}

void send_timer_signal(Thread* target, int signo, const siginfo_t& info) {
  if (target && target->finished) return;
  const QueuedSignal signal{info, true};
  const bool is_blocked = target ? is_blocked_by(*target, signo) : !somebody_takes(signo);
  model_changed();
  if (is_blocked && keep_blocked(target, signal)) return;
  if (!is_blocked && has_handler(signo)) {
    if (slot_is_free(*(target ? target : &thread(0)), !target, signo))
      queue_for(*(target ? target : &thread(0)), !target, signal);
    if (target) return io_interrupt(*target);
    return pass_on(signo);
  }
  if (is_fatal(target, signo)) io_ends_by_timer(signo);
  raw_syscall(SYS_kill, real_pid, signo);
}

void io_die_of_timer(int signo) {
  timespec nap{0, 10'000'000};
  raw_syscall(SYS_kill, real_pid, signo);
  for (int i = 0; i < 100; i++) raw_syscall(SYS_nanosleep, &nap, nullptr);  // no step more
}

bool send_own_signal(Thread& from, Thread* target, int signo, const siginfo_t* info) {
  if (detector::on) detector::io_release(from);  // also where the kernel sends it: somebody may be in sigwait()
  if (kFaults & bit(signo) || signo == SIGKILL || signo == SIGSTOP || signo == SIGCONT) return false;
  Thread& to = target ? *target : from;
  ThreadIo& io = io_of(to);
  const bool is_blocked = io.mask & bit(signo), nobody_takes = is_blocked && (target || !somebody_takes(signo));
  if (nobody_takes ? !keeps_blocked_signals() : !has_handler(signo))
    return false;                                     // someone may be in sigwait(): the kernel knows
  if (discipline.own_signals_are_fed()) return true;  // its place is in the recording
  siginfo_t about{};
  if (!info || !read_program(&about, (uint64_t)info, sizeof about)) {
    about.si_code = target ? SI_TKILL : SI_USER;
    about.si_pid = (int)told_pid;
  }
  about.si_signo = signo;
  if (nobody_takes) return keep_blocked(target, QueuedSignal{about, false});
  if (signo >= kFirstRealtime && !slot_is_free(to, is_blocked, signo) &&
      keep_blocked(target, QueuedSignal{about, false}))
    return true;
  if (is_blocked) {
    enqueue_process(signo, about, false);
    model_changed();
    if (!feeding()) pass_on(signo);
    return true;
  }
  io.queued[signo] = QueuedSignal{about, false};
  io.queued_mask |= bit(signo);
  model_changed();
  if (&to != &from && !feeding()) io_interrupt(to);
  return true;
}

long call_sigaction(Call& c) {
  int signo = (int)c.a[0];
  KernelSigaction wanted{}, old{};
  if (signo < 1 || signo >= kSignals || c.a[3] != 8) return -EINVAL;
  if (c.a[1] && !read_program(&wanted, c.a[1], sizeof wanted)) return -EFAULT;
  wanted.mask = without_sigsys(wanted.mask);
  long result = 0;
  if (signo == SIGSYS || signo == kInterrupt) {
    if (signo == SIGSYS && c.a[1]) note("the program handles SIGSYS itself: that handler is not called under control");
  } else if ((kFaults & bit(signo)) || signo == SIGKILL || signo == SIGSTOP || signo == kInterrupt + 1) {
    if (c.a[1]) wanted.restorer = heddle_restore_rt, wanted.flags |= kSaRestorer;
    bool fault = kFaults & bit(signo);
    result = fault ? fail_sigaction(signo, c.a[1] ? &wanted : nullptr, &old, 8)
                   : raw_syscall(SYS_rt_sigaction, signo, c.a[1] ? &wanted : nullptr, &old, 8);
  } else {
    learn(signo);
    old = actions[signo];
    if (c.a[1]) {
      if (detector::on) detector::io_release(c.thread);
      actions[signo] = wanted;
      result = install(signo, wanted);
    }
  }
  if (!failed(result) && c.a[2] && !write_program(c.a[2], &old, sizeof old)) return -EFAULT;
  return result;
}

long call_sigmask(Call& c) {
  ThreadIo& io = io_of(c.thread);
  // A fault handler of the program runs natively: what the kernel blocks for it is in the trapped frame.
  uint64_t frame = 0;
  __builtin_memcpy(&frame, &c.context->uc_sigmask, sizeof frame);
  uint64_t set = 0, old = io.mask | (frame & kFaults), wanted = old;
  if (c.a[3] != 8) return -EINVAL;
  if (c.a[1]) {
    if (!read_program(&set, c.a[1], sizeof set)) return -EFAULT;
    switch ((int)c.a[0]) {
      case SIG_BLOCK: wanted = old | set; break;
      case SIG_UNBLOCK: wanted = old & ~set; break;
      case SIG_SETMASK: wanted = set; break;
      default: return -EINVAL;
    }
  }
  if (c.a[2] && !write_program(c.a[2], &old, sizeof old)) return -EFAULT;
  io.mask = wanted & ~(bit(SIGKILL) | bit(SIGSTOP));
  if (c.a[1]) apply_mask(io.mask, c.context);
  if (HEDDLE_UNLIKELY(blocked_count)) release_blocked(c.thread);
  return 0;
}

TemporaryMask::TemporaryMask(Call& c) : call_(c) {
  int argument = c.number == SYS_ppoll                                            ? 3
                 : c.number == SYS_epoll_pwait || c.number == SYS_epoll_pwait2    ? 4
                 : c.number == SYS_pselect6                                       ? 5
                 : c.number == SYS_rt_sigsuspend                                  ? 0
                                                                                  : -1;
  if (argument < 0 || !c.a[argument]) return;
  uint64_t pointer = c.a[argument];
  if (c.number == SYS_pselect6) {
    if (!read_program(pair_, pointer, sizeof pair_) || !pair_[0]) return;
    pointer = pair_[0];
  }
  uint64_t asked;
  if (!read_program(&asked, pointer, sizeof asked)) return;
  ThreadIo& io = io_of(c.thread);
  saved_ = io.mask;
  io.mask = asked;
  kernel_mask_ = without_sigsys(asked);
  if (HEDDLE_UNLIKELY(blocked_count)) release_blocked(c.thread);
  pair_[0] = (uint64_t)&kernel_mask_;
  c.a[argument] = c.number == SYS_pselect6 ? (long)pair_ : (long)&kernel_mask_;
  active_ = true;
}

TemporaryMask::~TemporaryMask() {
  if (!active_) return;
  deliver(call_.thread, call_.context);
  io_of(call_.thread).mask = saved_;
}

}  // namespace heddle::rt
