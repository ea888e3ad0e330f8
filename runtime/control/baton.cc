// Real threads, one of them awake: the holder wakes the next through its futex word and sleeps on its own. The whole
// process is pinned to one CPU (start.cc): a hand-off there costs a seventh of one across cores.
//
// Rules of this file: once `to` is woken it owns everything; after that this thread may only look at its own wake_word.
#include "runtime/arena.h"
#include "runtime/control/backend.h"
#include "runtime/control/control.h"
#include "runtime/control/idle.h"
#include "runtime/control/light.h"

namespace heddle::rt {
namespace {

void wake(Thread& t) {
  __atomic_store_n(&t.backend.wake_word, 1, __ATOMIC_SEQ_CST);
  futex_wake(&t.backend.wake_word, 1);
}

void park(Thread& t) {
  while (!__atomic_load_n(&t.backend.wake_word, __ATOMIC_SEQ_CST)) futex_wait(&t.backend.wake_word, 0);
  __atomic_store_n(&t.backend.wake_word, 0, __ATOMIC_SEQ_CST);
  if (HEDDLE_UNLIKELY(t.backend.foreign)) adopt_kernel_thread(t);  // it was outside when the others were moved
}

void start() {}

void arrive(Thread& t) {
  if (HEDDLE_UNLIKELY(t.backend.unborn)) light_arrived(t);  // was made as a fiber
  if (HEDDLE_UNLIKELY(t.backend.foreign)) adopt_kernel_thread(t);
  __atomic_store_n(&t.backend.native, 1, __ATOMIC_SEQ_CST);  // "is there": the creator waits for it
  futex_wake(&t.backend.native, 1);
  park(t);
}

void await_arrival(Thread& t) {
  while (!__atomic_load_n(&t.backend.native, __ATOMIC_SEQ_CST)) futex_wait(&t.backend.native, 0);
}

void switch_to(Thread& from, Thread& to) {
  wake(to);
  park(from);
}

void switch_to_idle(Thread& from) {
  idle_take();
  park(from);
}

void leave_to(Thread&, Thread* to) {
  if (to)
    wake(*to);
  else
    idle_take();
}

void enter(Thread& t) {
  announce_return(t);
  park(t);
}

}  // namespace

void baton_wake(Thread& t) { wake(t); }
void baton_park(Thread& t) { park(t); }

const Backend baton_backend{"baton",   start,          [](Thread&) {}, arrive, await_arrival,
                            switch_to, switch_to_idle, leave_to,       enter};

}  // namespace heddle::rt
