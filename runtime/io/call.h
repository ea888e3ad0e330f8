// One trapped system call on its way through the layer, and the private state of the layer. Everything here belongs to
// the baton holder, except where marked; `opportunities`, `sending` and `pipe_broke` to the thread.
#pragma once
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "abi/inputs.h"
#include "runtime/control/discipline.h"
#include "runtime/control/io.h"
#include "runtime/io/policy.h"
#include "runtime/parallel/parallel.h"

namespace heddle::rt {

struct QueuedSignal {
  siginfo_t info;
  bool external;  // came from outside the program: recorded, and fed in a replay
};

/// What libc is about to execute in a child.
struct Command {
  const char* path;
  char* const* argv;
  char* const* environment;
};

struct alignas(64) ThreadIo {
  uint32_t allow;             // FIRST: read by io_allowed()
  uint32_t stop;              // cross-thread: a blocking call must return (heddle_blocking_syscall)
  const uint64_t* offsets;    // replay: where its input records are
  uint64_t next, count;
  uint64_t mask;              // the program's idea of its signal mask
  uint64_t opportunities;     // times it could have run a signal handler
  uint64_t here;  // number of the one that is used now: `opportunities`, with kInWait while it waits in the model
  uint64_t signal_at;         // replay: the opportunity of its next record if that is a signal; else never reached
  uint64_t memory_calls;
  long told_tid;              // replay: what gettid() told it
  uint64_t queued_mask;       // signals sent to this thread by the program
  QueuedSignal* queued;       // [65]
  stack_t altstack;           // the program's own; all zero: none yet
  char* landing;              // a recording: where the kernel writes while the thread is out (buffers.h)
  bool sending, pipe_broke;   // a recording: its call is executed without the baton; a SIGPIPE came of it
  siginfo_t broken_pipe;
  const Command* command;     // null: it is in no call that starts one (commands.cc)
  uint32_t timer_stack;       // where it last set a timer, if the detail has stacks
};

// Futex calls of libc itself (libc_futex.cc): false: it is another one.
bool followed_libc_futex(Call& c, long* result);
bool recorded_libc_futex(Call& c, long* result);

struct Call {
  long number;
  long a[6];
  ucontext_t* context;        // null when an interposed name makes the call
  uint32_t site;
  Thread& thread;
  const Policy& policy;
  // Filled by shape_before() and the wait functions.
  uint32_t capacity = 0;      // value-result length before the call
  const void* sent = nullptr; // a copy of what it writes (TakeOff), until the thread's next call
  uint64_t timeout = ~0ull;   // ns the program is ready to wait; ~0 for ever
};

ThreadIo& io_of(Thread& t);

inline bool feeding() { return region->run.feed != 0; }
inline long execute(const Call& c) {
  return heddle_raw_syscall(c.number, c.a[0], c.a[1], c.a[2], c.a[3], c.a[4], c.a[5]);
}
inline bool failed(long result) { return result < 0 && result > -4096; }
inline Op op_of(const Call& c, uint32_t kind) {
  return Op{kind, c.site, 0,
            kind == HEDDLE_EV_IO_LEAVE || kind == HEDDLE_EV_IO_RETURN ? HEDDLE_CALL_WORD(c.number) : 0};  // for reports
}

/// The program's memory, which may be unmapped: false instead of a fault.
bool read_program(void* to, uint64_t from, size_t bytes);
bool write_program(uint64_t to, const void* from, size_t bytes);

// One function per class (policy.def); the result goes to the program as the kernel's would.
long call_recorded(Call& c);  // INPUT, EFFECT, WRITE, ODD
long call_native(Call& c);
long call_mmap(Call& c);
long call_memory(Call& c);
/// What was read from a foreign trace does not become code (HeddleRun::foreign): such an mprotect ends the replay.
void check_protection(const Call& c);
long call_remap(Call& c);
long call_unmap(Call& c);
long call_sync(Call& c);
long call_sigaction(Call& c);
long call_sigmask(Call& c);
long call_kill(Call& c);
long call_clock(Call& c);
long call_sleep(Call& c);
long call_timer(Call& c);
long call_getpid(Call& c);
long call_gettid(Call& c);
long call_clone(Call& c);
long call_exec(Call& c);
long call_exit(Call& c);
long call_limit(Call& c);
long call_vmwrite(Call& c);
long call_altstack(Call& c);
long call_affinity(Call& c);
long call_getcpu(Call& c);

// kernel_thread_calls.cc
/// Its effect is bound to the kernel thread that makes it, or is told from it: a fiber, which shares its carrier's,
/// cannot make it.
bool concerns_kernel_thread(const Call& c);
/// The return from this trap restores what was the carrier's when it began: it shall be what is the thread's own now.
void io_refresh_frame(Call& c);

/// The dynamic loader opens and maps with its own locks in hand, which pthread_create() needs, where we let libc block:
/// whoever is inside it stays. (record.cc)
bool is_loader(const Call& c);
/// A thread that was cancelled before its last step has to come back at once. (record.cc)
bool recorded_cancelled_outside(Thread& t);
/// The rest of a call's step: requests and signals that came before it.
void controlled_step_of_call(const Call& c, bool cancels, bool masked);
void counted_step_of_call(const Call& c, bool cancels, bool masked);
void recorded_shared_write(const Call& c);
/// A write that did not return before the recording ended does not return here.
void await_end_of_write(const Call& c);
/// Leaves control, blocks, and comes back; with the record of its leaving, which has these flags of order_of().
/// (record.cc)
long execute_leaving(Call& c, uint32_t flags);

// random.cc
/// A controlled run: random bytes made from its seed, if that is what the call asks the kernel for.
bool random_bytes(const Call& c, long* result);
void random_start();
/// From here on they are the kernel's. Before random_start().
void random_is_real();

// wait.cc
/// What a thread sends, in a recording, if it cannot block there; not to the user's terminal, which shows the order of
/// steps.
bool goes_out_beside_others(const Call& c);
/// Executes the call if it cannot block for long; false: it has to leave control.
bool execute_if_ready(Call& c, long* result);
/// The kernel says that `events` of the descriptor need not be waited for.
bool polls_ready(long fd, short events);
/// The timeout of the call in `timeout`; false: the pointer is bad, the kernel will say so.
bool read_timeout(Call& c);
/// Between leave() and enter(): blocks for real. Touches nothing but `c` and its thread's `stop`.
long execute_outside(Call& c, ThreadIo& io);
/// A wait without descriptors: sleeps in virtual time instead. False: not such a call.
bool virtual_wait(Call& c, long* result);
/// After a wait that timed out: virtual time has to show it.
void timed_out_until(const Call& c, uint64_t deadline);
bool sleep_until(uint32_t site, uint64_t deadline);  // true: a signal handler ended it

// inside.cc
/// A controlled run: only the program's own threads, its timers and its signals can end this wait. Then control is not
/// left: readiness is the predicate of a step, and a time-out is one in virtual time.
bool waits_inside(const Call& c);
/// From here on such waits leave control, as in a recording.
void waits_leave_control();
/// Executes it, waiting as long as necessary. `timed_out`: the time ended it. False: somebody outside can end it now,
/// and it has to leave.
bool execute_inside(Call& c, long* result, bool* timed_out);
/// A replay: the steps of that, up to the record of the result.
void feed_inside(Call& c);
/// A call of the program was executed, or a timer expired: what waits inside is looked at again.
void inside_changed();

// timers.cc
/// A controlled run: the call is about a timer, which runs in virtual time.
bool timer_call(const Call& c, long* result);
/// From here on timers are the kernel's, in real time.
void timers_are_real();
extern bool timers_are_virtual;
/// A recording, or a timer for a thread of libc's own: it is the kernel's, in real time.
void timers_run_outside();
/// The program replaces itself: the timers that go with it (alarm, setitimer) are armed with the kernel. False:
/// disarmed, since it did not.
void timers_before_exec(bool arm);
/// There are descriptors of timers: to another process they are none.
bool has_timer_descriptors();
/// These descriptors of the program are gone; `to` is another one for what `from` stands for.
void timers_closed(long first, long last);
void timers_copied(long from, long to);

// time.cc
/// Virtual ns -> what this clock shows; false: a clock we do not answer.
bool clock_offset(clockid_t clock, uint64_t* offset);
/// It shows CPU time, which passes only while the program executes something.
bool is_cpu_clock(clockid_t clock);

// signals.cc
void signals_start();
uint64_t without_sigsys(uint64_t mask);
/// A call was interrupted (EINTR) and every handler that is due says SA_RESTART: it starts again after they ran.
bool restarts_after_signal(Call& c);
/// Signals wait that the thread would let in.
uint64_t signals_due(const ThreadIo& io);
void signals_after_call(Thread& t, ucontext_t* context);

/// ppoll, pselect, epoll_pwait, sigsuspend: the mask the call asks for holds until the handlers it let in have run.
class TemporaryMask {
 public:
  explicit TemporaryMask(Call& c);
  ~TemporaryMask();
  bool is_active() const { return active_; }

 private:
  Call& call_;
  uint64_t saved_, kernel_mask_;
  uint64_t pair_[2];  // what pselect6 points to
  bool active_ = false;
};
/// Sent to the program by a timer of its own, in virtual time; target null: to the process. On whatever kernel thread
/// has the baton.
void send_timer_signal(Thread* target, int signo, const siginfo_t& info);
/// It would end the program.
bool is_fatal(Thread* target, int signo);
/// sigwait() and the like: takes a signal that the program sent itself, of `set`. False: there is none.
bool take_blocked(Thread& t, uint64_t set, siginfo_t* info);
bool has_blocked(Thread& t, uint64_t set);
uint64_t blocked_signals(Thread& t);
/// The thread lets in what its mask kept out.
void release_blocked(Thread& t);
/// False: their place in the order of steps is not known (a recording), or the kernel has to have them (signalfd).
bool keeps_blocked_signals();
/// From here on handlers run at opportunities, as in a recording, not at steps of every kind.
void signals_at_opportunities();
/// A signal of the program's own is taken from the kernel, if it is there.
void take_from_kernel(uint64_t set);
void kernel_keeps_signals();

/// A signal the program sends to itself; target null: to the process. False: the kernel has to do it.
bool send_own_signal(Thread& from, Thread* target, int signo, const siginfo_t* info);

// mapping.cc
/// From here on calls that map and unmap are steps, as in a recording.
void mappings_are_steps();
/// Replay: a fault behind the recorded end of a file, in a run that went on: there is memory now.
bool mapped_file_grew(uint64_t address);

// process.cc
void step_before_exec(const Call& c);
int controlled_kill(pthread_t handle, int signo, int (*real)(pthread_t, int), void* caller);
int model_kill(pthread_t handle, int signo, int (*real)(pthread_t, int), void* caller);
void await_kernel_thread(const Thread& t);
Thread* thread_by_tid(Thread& from, long tid);
extern long real_pid, told_pid;  // told: what getpid() said in the recording; both equal while recording

}  // namespace heddle::rt
