// How the chosen thread is made to run. The scheduler decides, a backend only switches. Under control: baton.cc (real
// threads, futex hand-off) and fibers.cc (contexts of the real threads on one carrier). A run may begin on fibers and
// go on with the baton.
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

struct Backend {
  const char* name;
  /// In the child, before main, on the main thread.
  void (*start)();
  /// On the creator (the holder), before the OS thread is made.
  void (*expect)(Thread& t);
  /// On the new OS thread, before anything else of ours: tells the creator it exists and waits to be chosen the first
  /// time.
  void (*arrive)(Thread& t);
  /// On the creator (the holder), after the OS thread was made: returns once the creator may go on.
  void (*await_arrival)(Thread& t);
  /// The holder `from` runs `to`; returns when `from` is chosen again.
  void (*switch_to)(Thread& from, Thread& to);
  /// Nobody can run, someone is out: the idle loop takes the baton; returns when `from` is chosen again.
  void (*switch_to_idle)(Thread& from);
  /// The holder hands over (`to` null: to the idle loop) and goes on natively, outside control. Touches nothing after.
  void (*leave_to)(Thread& from, Thread* to);
  /// cross-thread. A thread comes back from outside: publishes io_returned and waits to be chosen.
  void (*enter)(Thread& t);
};

extern const Backend baton_backend;
extern const Backend fiber_backend;
extern const Backend* backend;
inline bool on_fibers() { return backend == &fiber_backend; }
/// Why fibers cannot be used in this process, in words for the user; null: they can. Before the first run's threads
/// exist.
const char* no_fibers();
/// By the holder, on fibers: from here on each thread of the program runs on its own kernel thread, and the backend is
/// baton. The schedule is not concerned. Returns on the holder's own kernel thread. `why` names what the program asked
/// for.
void move_to_real_threads(const char* why);
extern bool moved_to_real_threads;  // in this run
/// By a thread on its own kernel thread, which fibers had parked: signal mask and alternate stack are from now on those
/// of the thread.
void adopt_kernel_thread(Thread& t);

}  // namespace heddle::rt
