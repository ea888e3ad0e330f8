// The scheduler: one thread runs at a time; before every visible operation the strategy chooses who is next.
//
//   thread: point(op, ready) --publish--> choose() --strategy--> next --backend--> ... --chosen--> returns, executes op
//
// Between the return of point() and the thread's next point nothing else runs: the caller then performs its operation
// on the model without any lock. Whoever changes the model so that another thread's `ready` may change calls
// model_changed().
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

/// The commonest predicate of a wait, known to the scheduler.
inline bool word_is_zero(void* word) { return *static_cast<const uint32_t*>(word) == 0; }

enum class Wake {
  kReady,
  kTimedOut,
  kInterrupted
};  // the last: by a signal, for sleeps and what libc does not start again

/// Passes a scheduling point. Returns when this thread was chosen and `ready` holds (or its deadline passed).
Wake point(const Op& op, Ready ready = nullptr, void* argument = nullptr, uint64_t deadline = 0);

/// The same for yields, sleeps and exhausted spin budgets: gives way to others.
Wake point_yielding(const Op& op, Ready ready = nullptr, void* argument = nullptr, uint64_t deadline = 0);

/// The same for a wait in a system call. Giving way there is no preemption, whether or not `ready` holds: a replay does
/// not know when it did.
Wake point_waiting(const Op& op, Ready ready, void* argument, uint64_t deadline);

void model_changed();  // if it is but the word of a word_is_zero: discipline.word_taken(), word_freed()
/// The operation just executed changed nothing (failed try, unchanged value): counts towards spinning.
void unproductive();
/// It asked the world outside, in vain: others get their turn, but it is no sign of a livelock.
void polled_outside();
/// It only read. Reading again what it has read before, unchanged, is unproductive; walking through memory is not.
void looked_at(const volatile void* address, uint64_t value);
/// It did change something.
void productive();
/// Marks the last event of this thread as failed/timed out (HEDDLE_EF_FAILED), and its value.
void last_event_failed();
void last_event_value(uint64_t value);

/// Blocking work outside control: leave() hands the baton on, the caller then blocks for real, enter() waits to be
/// chosen. Between them the thread may touch nothing of the runtime.
void leave(const Op& op);
void enter(const Op& op);

uint64_t virtual_now();           // ns since the start of the run; does not tick
/// Absolute deadline from a relative duration; saturates.
uint64_t deadline_in(uint64_t ns);

/// Ends the run now (deadlock, livelock, divergence, exit): never returns, runs no user code.
[[noreturn]] void end_run(int status);

/// Code address -> site id, interned so that the host can symbolise it.
uint32_t pc_site(void* return_address);
/// Stack id of the caller's frames (frame pointers), 0 when the detail does not ask for stacks.
uint32_t capture_stack(void* frame_address, void* return_address);

/// Threads.
Thread& new_thread(Thread& parent);
void thread_finished(Thread& t);  // last thing a thread does under control; returns natively, without the baton

void scheduler_prepare();         // in the fork server, once
void scheduler_start();           // in the child, on the main thread

// What threads do under control, as the table has it (discipline.h).
Wake controlled_turn(Thread& t, const Op& op, Ready ready, void* argument, uint64_t deadline, bool yielding);
void controlled_leave(Thread& t);
void controlled_enter(Thread& t, const Op& op);
void controlled_finish(Thread& t);
void controlled_word_changed(const void* word);
uint64_t controlled_clock();
uint64_t controlled_cpu_time();

}  // namespace heddle::rt

/// Op for an intercepted call: site is the caller of the interceptor. Use at the top level of the interceptor only.
#define HEDDLE_CALL_OP(kind_, object_, address_)                                              \
  ::heddle::rt::Op {                                                                          \
    HEDDLE_EV_##kind_, ::heddle::rt::pc_site(__builtin_return_address(0)), (object_), (uint64_t)(address_) \
  }
