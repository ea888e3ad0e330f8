// Rules of this file: idle_loop() runs on a kernel thread without TLS of its own: no `self`, no libc, raw system calls only.
#include "runtime/control/idle.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "runtime/arena.h"
#include "runtime/control/control.h"

namespace heddle::rt {
namespace {

uint32_t idle_word;
bool idle_exists;

void idle_loop() {
  for (;;) {
    while (!__atomic_load_n(&idle_word, __ATOMIC_SEQ_CST)) futex_wait(&idle_word, 0);
    __atomic_store_n(&idle_word, 0, __ATOMIC_SEQ_CST);
    Thread* next = nullptr;
    while (!(next = choose(nullptr))) wait_for_return();
    baton_wake(*next);
  }
}

extern "C" void heddle_idle_entry() {
  idle_loop();
  __builtin_trap();
}

void make_idle_thread() {
  idle_exists = true;
  constexpr size_t kStack = 64 * 1024;
  uint64_t* top = (uint64_t*)((char*)arena_allocate(kStack) + kStack - 64);
  top[0] = (uint64_t)&heddle_idle_entry;
  uint64_t all = ~0ull, old = 0;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
  long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  // The child starts on its own stack with nothing but the entry's address on it.
  long result;
  register long r10 __asm__("r10") = 0;
  register long r8 __asm__("r8") = 0;
  __asm__ volatile(
      "jmp heddle_clone_here\n"
      ".pushsection heddle_sys,\"ax\",@progbits\n"
      "heddle_clone_here:\n"
      "syscall\n"
      "test %%rax, %%rax\n"
      "jnz 1f\n"
      "xor %%ebp, %%ebp\n"
      "pop %%rax\n"
      "and $-16, %%rsp\n"
      "call *%%rax\n"
      "1: jmp heddle_clone_back\n"
      ".popsection\n"
      "heddle_clone_back:\n"
      : "=a"(result)
      : "a"((long)SYS_clone), "D"(flags), "S"(top), "d"(0L), "r"(r10), "r"(r8)
      : "rcx", "r11", "memory");
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, 0, 8);
  HEDDLE_CHECK(result > 0);
}

}  // namespace

void idle_take() {
  if (!idle_exists) make_idle_thread();
  __atomic_store_n(&idle_word, 1, __ATOMIC_SEQ_CST);
  futex_wake(&idle_word, 1);
}

void announce_return(Thread& t) {
  __atomic_store_n(&t.io_returned, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&control.returns, 1, __ATOMIC_SEQ_CST);
  futex_wake(&control.returns, 1);
}

void wait_for_return() {
  uint64_t timeout = 50'000'000;  // a bound on the nap, the loop around asks again
  if (control.next_deadline != ~0ull) {
    uint64_t due = control.next_deadline > control.now ? control.next_deadline - control.now : 1;
    if (due <= timeout) timeout = due;
  }
  uint32_t seen = control.seen_returns;
  if (__atomic_load_n(&control.returns, __ATOMIC_SEQ_CST) == seen) {
    futex_wait(&control.returns, seen, timeout);
    if (__atomic_load_n(&control.returns, __ATOMIC_SEQ_CST) == seen) control.now += timeout;
  }
  control.dirty = true;
}

}  // namespace heddle::rt
