// How the chosen thread is made to run. The scheduler decides, a backend only switches. Two implementations: baton.cc (real
// threads, futex hand-off) and fibers.cc (contexts of the real threads on one carrier).
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

struct Backend {
  /// In the child, before main, on the main thread.
  void (*start)();
  /// On the new OS thread, before anything else: tell the creator we exist and wait to be chosen for the first time.
  void (*arrive)(Thread& t);
  /// On the creator, after the OS thread was made: returns once `t` is parked.
  void (*await_arrival)(Thread& t);
  /// The holder `from` runs `to`; returns when `from` is chosen again.
  void (*switch_to)(Thread& from, Thread& to);
  /// The holder hands over to `to` and goes on natively, outside control (blocking I/O, thread exit). Touches nothing after.
  void (*leave_to)(Thread& from, Thread& to);
  /// The holder has to leave but nobody can run (all others out in I/O): blocks until `scheduler_collect` finds someone.
  /// A thread that returns from outside: publishes itself and waits to be chosen.
  void (*enter)(Thread& t);
};

extern const Backend baton_backend;
extern const Backend fiber_backend;
extern const Backend* backend;

}  // namespace heddle::rt
