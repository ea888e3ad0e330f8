// How the chosen thread is made to run. The scheduler decides, a backend only switches. Under control: baton.cc (real
// threads, futex hand-off) and fibers.cc (contexts of the real threads on one carrier).
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

struct Backend {
  const char* name;
  /// In the child, before main, on the main thread.
  void (*start)();
  /// On the creator (the holder), before the OS thread is made.
  void (*expect)(Thread& t);
  /// On the new OS thread, before anything else of ours: tells the creator it exists and waits to be chosen the first time.
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
extern const Backend parallel_backend;  // recordings: nothing to switch (runtime/parallel/)
extern const Backend* backend;
/// The CPU and kernel let user code write the FS base.
bool fibers_possible();

}  // namespace heddle::rt
