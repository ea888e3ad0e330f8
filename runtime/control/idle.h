// The idle loop of the baton backend: a kernel thread of our own that holds the baton while nobody can run but someone
// is out in blocking I/O. Time then passes at its real pace. Made at first need, on a stack of ours, without TLS.
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

/// The holder gives the baton to the idle loop.
void idle_take();
/// cross-thread: `t` finished its blocking call and wants to be chosen.
void announce_return(Thread& t);
/// Waits until a thread has come back or the next virtual deadline is due in real time. Called by the holder.
void wait_for_return();
void baton_wake(Thread& t);
void baton_park(Thread& t);

}  // namespace heddle::rt
