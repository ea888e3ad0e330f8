// Rules of this file: idle_loop() runs on a kernel thread without TLS of its own: no `self`, no libc, raw system calls
// only.
#include "runtime/control/idle.h"

#include <signal.h>
#include <sys/syscall.h>

#include "runtime/control/control.h"
#include "runtime/control/kernel_thread.h"
#include "runtime/control/io.h"
#include "runtime/table.h"

namespace heddle::rt {
namespace {

uint32_t idle_word;
bool idle_exists;

void idle_loop(void*) {
  for (;;) {
    while (!__atomic_load_n(&idle_word, __ATOMIC_SEQ_CST)) futex_wait(&idle_word, 0);
    __atomic_store_n(&idle_word, 0, __ATOMIC_SEQ_CST);
    Thread* next = nullptr;
    while (!(next = choose(nullptr))) wait_for_return();
    baton_wake(*next);
  }
}

void make_idle_thread() {
  idle_exists = true;
  uint64_t all = ~0ull, old = 0;  // inherited: the program's signals are not for it
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
  make_kernel_thread(idle_loop, nullptr);
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, 0, 8);
}

}  // namespace

void idle_take() {
  if (!idle_exists) make_idle_thread();
  __atomic_store_n(&idle_word, 1, __ATOMIC_SEQ_CST);
  futex_wake(&idle_word, 1);
}

void announce_return(Thread& t) {
  __atomic_store_n(&t.backend.io_returned, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&control.returns, 1, __ATOMIC_SEQ_CST);
  futex_wake(&control.returns, 1);
}

namespace {

// Two requests that come at the same time should meet: now and then the first one back waits for a second one, which on
// one processor it would otherwise always be ahead of.
void wait_for_company() {
  constexpr uint64_t kNap = 200'000;
  if (control.out < 2 || (mix_bits(control.steps ^ region->run.seed ^ region->run.run_index << 32) & 3)) return;
  futex_wait(&control.returns, __atomic_load_n(&control.returns, __ATOMIC_SEQ_CST), kNap);
}

}  // namespace

void wait_for_return() {
  uint64_t timeout = 50'000'000;  // a bound on the nap, the loop around asks again
  if (control.next_deadline != ~0ull) {
    uint64_t due = control.next_deadline > control.now ? control.next_deadline - control.now : 1;
    if (due <= timeout) timeout = due;
  }
  uint32_t seen = control.seen_returns;
  if (__atomic_load_n(&control.returns, __ATOMIC_SEQ_CST) == seen) {
    futex_wait(&control.returns, seen, timeout);
    if (__atomic_load_n(&control.returns, __ATOMIC_SEQ_CST) == seen) {
      control.now += timeout;
      io_time_passed(control.steps, timeout);  // real time is an input too
    } else {
      wait_for_company();
    }
  }
  control.dirty = true;
}

}  // namespace heddle::rt
