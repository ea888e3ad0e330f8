// What the rest of the runtime asks of the I/O layer. (Contract with the scheduler; implemented in runtime/io/.)
//
// Order of calls:  server: io_prepare()  fork  child: scheduler_start(), io_start()  each new OS thread:
// io_thread_start()
//                  each OS thread that leaves control for good (after its last user code): io_thread_stop()
#pragma once
#include "runtime/control/discipline.h"
#include "runtime/rt.h"

namespace heddle::rt {

void io_prepare();          // fork server, once: real functions, patched vDSO
void io_start();            // child, on the main thread, before main, after scheduler_start()
void io_thread_start();     // on each OS thread that will run user code, before it does; touches no shared state
void io_thread_created(Thread& t);  // by its creator: it inherits the signal mask of this moment
void io_thread_stop();  // on an OS thread that goes on natively (exit path of glibc): its system calls are its own
                        // again
void io_allow_begin();  // nestable: libc may make system calls natively (around real pthread_create, join, dlopen ...)
void io_allow_end();
bool io_available();        // Syscall User Dispatch works here
bool under_valgrind();
/// A kernel thread that was parked, or a carrier's, becomes that of `t`, which runs on it: alternate stack, signal
/// mask.
void io_adopt_kernel_thread(Thread& t);

/// ONE selector for all threads: under control only one of them runs user code. 0 lets system calls through, 1 traps
/// them.
extern volatile uint8_t io_selector;
/// In a recording each thread has its own.
inline volatile uint8_t& selector() { return HEDDLE_UNLIKELY(parallel) && self ? self->io.selector : io_selector; }

/// First word of Thread::io: depth of io_allow_begin().
inline uint32_t io_allowed(const Thread& t) { return t.io.state ? *static_cast<const uint32_t*>(t.io.state) : 0; }

/// A thread of the program has a signal stack of its own (altstack.cc).
extern bool io_altstacks;
void io_use_altstack();
void io_own_altstack(Thread& t);  // installed for this kernel thread, which is from now on its own

/// After each switch of threads: traps as the thread that runs now wants it.
inline void io_rearm() {
  selector() = io_allowed(*self) ? 0 : 1;
  if (HEDDLE_UNLIKELY(io_altstacks)) io_use_altstack();
}

class AllowSyscalls {
 public:
  AllowSyscalls() { io_allow_begin(); }
  ~AllowSyscalls() { io_allow_end(); }
  AllowSyscalls(const AllowSyscalls&) = delete;
};

/// At the START of point(), before the operation is published (user code may run in it): delivers signals that have
/// arrived. The n-th such opportunity of a thread is where a recorded signal comes back in a replay.
bool io_deliver_signals();  // true: a handler ran
/// For a step that cannot run handlers: none is due; and one opportunity for them has passed, as io_deliver_signals()
/// counts them.
bool io_no_signal_is_due(const Thread& t);
void io_signal_opportunity_passed(Thread& t);

/// The thread waits in the model: has a signal come that its mask lets in (or, in a replay, came here)?
bool io_signal_waits(const Thread& t);
/// The program handles signals, and their handlers run at steps of every kind: not in recordings, which have fewer
/// kinds of them, nor in replays of traces of earlier versions.
extern bool signals_at_points;
/// The thread has been chosen, but its step is not counted yet: has a signal come that its mask lets in (or, in a
/// replay, came in this step)?
bool io_signal_comes_first(const Thread& t);
bool io_signal_has_come(const Thread& t);
/// Runs the handlers of those signals, on the thread itself. The place is the number of its step, which is counted now.
void io_run_handlers_first(Thread& t);
/// The program handles signals: one may come at any moment.
bool io_signals_may_come();
/// A replay: one came in this step of the wait.
bool io_signal_recorded(const Thread& t);
/// Runs the handlers of those signals, on the thread itself. True: all of them have SA_RESTART.
bool io_run_handlers(Thread& t);

/// Handlers of SIGSEGV and SIGBUS ask this first: true: the fault was ours, on a bad pointer that the program gave to a
/// system call; return from the handler.
bool io_recover_fault(void* ucontext);
/// What lies at `p` (1, 2, 4 or 8 bytes); false when it cannot be read: the program's own access will fault, not ours.
bool io_peek(const volatile void* p, uint32_t size, uint64_t* value);
/// The program has a handler of its own for SIGSEGV or SIGBUS (runtime/fail/signals.cc).
extern bool program_handles_faults;

/// A thread that is out in a blocking call (state OUT) returns with EINTR soon (cancellation). Called by the holder.
void io_interrupt(Thread& t);

/// Virtual time that passed at its real pace while nobody could run and someone was out in I/O: an input like others.
/// Recording: called by the holder (also without TLS) when it has added `ns`; `step` is the number of steps so far.
void io_time_passed(uint64_t step, uint64_t ns);
/// The same while threads did nothing but spin: CPU time passed, too.
void io_time_burnt(uint64_t step, uint64_t ns);
/// Replay: what to add now, before the choice for `step`; 0 mostly (one compare), always 0 in a recording.
uint64_t io_time_to_pass(uint64_t step);
/// The same for time that did not pass: it jumped because nobody could run. Another schedule has jumps of its own.
void io_time_jumped(uint64_t step, uint64_t ns);

/// When the next timer of the program expires, in virtual time; ~0: none, or they run in real time (timers.cc).
extern uint64_t io_timer_due;
/// The step before which the next timer of CPU time expires, if no clock is read meanwhile.
extern uint64_t io_timer_cpu_step;
/// By the holder, perhaps without TLS: sends the signals of timers that are due, and makes their descriptors ready.
void io_timers_expire();
/// All that timers can do for a while is to end the program: no reason to wait for them.
bool io_timer_only_ends_program();
/// From this step on a timer is to expire early; and lets it. Time jumps, which is an input of the run.
extern uint64_t io_timer_early;
void io_timer_comes_early();
/// The signal of a timer ends the program here, in its replay, too.
void io_ends_by_timer(int signo);
void io_die_of_timer(int signo);
/// A timer that `thread` armed at `site` came early.
void io_timer_jumped(uint64_t step, uint64_t ns, uint32_t thread, uint32_t site);

/// A timer runs, or another process of the program does: what looks like the end of everything may not be.
extern bool io_others_may_act;
/// Nothing happens any more, by the model: false: nothing can. Otherwise others got a little real time.
bool io_let_others_act();

/// Everybody waits in the model: false: for ever. Otherwise a timer of the program got a little real time to fire.
bool io_timer_may_fire();
void io_timer_fired();  // or another signal from outside came: the next one may take as long

/// ns since the start of a recording: real and recorded, or fed.
uint64_t io_clock();
/// Random bytes from outside, recorded and fed. For hooks and interceptors under control.
uint64_t io_random();

/// Implemented in runtime/sync/futex.cc; called by the dispatcher for SYS_futex and by the interposed syscall().
long futex_model(long uaddr, long op, long val, long timeout, long uaddr2, long val3, uint32_t site);
/// Implemented in runtime/fail/signals.cc: rt_sigaction of a fault signal (SEGV, BUS, FPE, ILL, ABRT, TRAP) by the
/// program. Pointers are to the kernel's struct, already copied out of the program's memory, with our restorer. -errno
/// style.
long fail_sigaction(int signo, const void* action, void* old, size_t sigset_size);
extern long real_pid;
/// Implemented in runtime/fail/: exit_group seen; bookkeeping only.
void note_exit(int status);
/// The process ends, by an exit or (in a handler) by a failure: what lies in shared mappings of files is compared
/// (shared_files.h).
void io_own_shared_at_end();  // before the last step
void io_shared_at_end(uint32_t site, bool in_handler);
/// Implemented in runtime/control/: an input did not match the recorded one. Never returns.
[[noreturn]] void diverge_input(const char* text);
/// So did what it carries out, by a call at `site`.
[[noreturn]] void diverge_output(uint32_t site, const char* expected, const char* actual);
/// Implemented in runtime/preload/exec.cc, absent in programs that carry the runtime: may this program be started?
/// (docs/security.md)
bool io_may_spawn(const char* path) __attribute__((weak));
bool io_may_spawn_named(const char* name) __attribute__((weak));
/// Implemented in runtime/sync/cancel.cc, may be absent: acts on a requested cancellation of the calling thread.
void cancel_point() __attribute__((weak));
bool cancel_pending(Thread& t);

}  // namespace heddle::rt
