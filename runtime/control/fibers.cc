// Fibers: the contexts of the real threads, run one at a time on one carrier. A thread's own kernel
// thread sleeps on a small parking stack meanwhile; its frames, TLS and unwinding stay those of the real pthread.
//
// The carrier is main's kernel thread, until main goes outside itself.
//
//   carrier:   base loop --heddle_switch--> thread A --heddle_switch--> thread B --> ... --> base loop (nobody can run)
//   outside:   leave_to(): base loop wakes A's kernel thread, which continues A's context natively (blocking I/O,
//   exit);
//              enter(): A's kernel thread saves the context and parks; the carrier resumes it when it is chosen.
//
//   moving:    a program that asks for what belongs to one kernel thread (its privileges, its pending signals) gets
//   real threads:
//              each context goes on on its own kernel thread, the carrier retires, and the rest of the run is the baton
//              backend's.
//
// Rules of this file: a context is saved before anyone can see it; after a kernel thread was woken its Thread is not
// touched.
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "runtime/arena.h"
#include "runtime/control/backend.h"
#include "runtime/control/control.h"
#include "runtime/control/debugger.h"
#include "runtime/control/idle.h"
#include "runtime/control/kernel_thread.h"
#include "runtime/control/light.h"
#include "runtime/control/fail.h"
#include "runtime/control/io.h"
#include "runtime/real/real.h"

extern "C" {
void heddle_switch(void** save, void* load, uint64_t fs_base);
void heddle_resume(void* load);
void heddle_park(void** save, void* stack_top, void (*wait)(void*), void* argument);
}

namespace heddle::rt {
namespace {

constexpr size_t kParkingStack = 1024;  // a few frames around one system call; signals are blocked there
void* base_context;       // of the carrier's own loop
Thread* to_native;        // base loop: let this one go on natively ...
Thread* to_run;           // ... and run this one (null: wait for somebody)

uint64_t fs_base() {
  uint64_t base;
  __asm__("movq %%fs:0, %0" : "=r"(base));  // the thread control block starts with its own address
  return base;
}

char* parking_top(Thread& t) { return t.backend.parking_stack + kParkingStack; }

// Its kernel thread starts beside the one that made it; only when it is to run the first time somebody waits for it.
void await_parked(Thread& t) {
  while (HEDDLE_UNLIKELY(!__atomic_load_n(&t.backend.native, __ATOMIC_SEQ_CST))) futex_wait(&t.backend.native, 0);
}

// On the parking stack: sleeps until the context is to go on natively, in leave_to() or settle().
[[noreturn]] void sleep_parked(Thread& t) {
  while (!__atomic_load_n(&t.backend.wake_word, __ATOMIC_SEQ_CST)) futex_wait(&t.backend.wake_word, 0);
  __atomic_store_n(&t.backend.wake_word, 0, __ATOMIC_SEQ_CST);
  uint64_t sigsys = 1ull << (SIGSYS - 1);  // libc's first calls for a thread are answered by us
  if (HEDDLE_UNLIKELY(t.backend.unborn)) raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &sigsys, nullptr, 8);
  heddle_resume(t.backend.context);
  __builtin_trap();
}

// The kernel thread of one that had none so far, on a stack of its own: the thread's is in use.
void native_entry(void* argument) {
  Thread& t = *static_cast<Thread*>(argument);
  __asm__ volatile("wrfsbase %0" ::"r"(t.backend.fs_base));
  light_becomes_native(t);
  uint64_t all = ~0ull;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &t.backend.parked_mask, 8);
  __atomic_store_n(&t.backend.native, 1, __ATOMIC_SEQ_CST);
  futex_wake(&t.backend.native, 1);
  sleep_parked(t);
}

void go_on_natively(Thread& t) {
  give_kernel_thread(t);
  __atomic_store_n(&t.backend.wake_word, 1, __ATOMIC_SEQ_CST);
  futex_wake(&t.backend.wake_word, 1);
}

// A parked kernel thread has all signals blocked: none may find the small stack.
void park(Thread& t, void (*wait)(void*)) {
  uint64_t all = ~0ull;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &t.backend.parked_mask, 8);
  heddle_park(&t.backend.context, parking_top(t), wait, &t);
}

void wait_after_arrival(void* argument) {
  Thread& t = *static_cast<Thread*>(argument);
  __atomic_store_n(&t.backend.native, 1, __ATOMIC_SEQ_CST);
  futex_wake(&t.backend.native, 1);
  sleep_parked(t);
}

void wait_after_return(void* argument) {
  Thread& t = *static_cast<Thread*>(argument);
  announce_return(t);
  sleep_parked(t);
}

void carry(void** save, Thread& next) {
  await_parked(next);
  if (HEDDLE_UNLIKELY(next.backend.unborn)) light_in_libc = &next;
  heddle_switch(save, next.backend.context, next.backend.fs_base);
}

// The carrier is main's own kernel thread until main itself has to go on natively: then one of ours takes over.
bool main_carries;

// The threads are being moved to their own kernel threads, and nobody is carried any more. Main's waits until it is
// main's turn.
[[noreturn]] void retire() {
  uint64_t all = ~0ull;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, 8);
  while (!main_carries) raw_syscall(SYS_exit, 0);
  Thread& main = thread(0);
  __asm__ volatile("wrfsbase %0" ::"r"(main.backend.fs_base));
  sleep_parked(main);
}

void base_loop() {
  for (;;) {
    if (Thread* t = to_native) {
      to_native = nullptr;
      go_on_natively(*t);
      if (HEDDLE_UNLIKELY(moved_to_real_threads)) retire();
    }
    Thread* next = to_run;
    to_run = nullptr;
    while (!next)
      if (!(next = choose(nullptr))) wait_for_return();
    carry(&base_context, *next);
  }
}

void base_entry() {
  base_loop();
  __builtin_trap();
}

// A context that starts base_loop() on a stack of its own, as heddle_switch would have saved it.
void* new_base_context() {
  constexpr size_t kStack = 64 * 1024;
  uint64_t* top = (uint64_t*)((char*)arena_allocate_cold(kStack) + kStack - 64);
  *--top = 0;
  *--top = (uint64_t)&base_entry;  // "returns" into it
  top -= 7;                        // six registers; mxcsr and x87 control word of the caller
  uint32_t mxcsr;
  uint16_t x87;
  __asm__("stmxcsr %0\n fnstcw %1" : "=m"(mxcsr), "=m"(x87));
  top[0] = mxcsr | (uint64_t)x87 << 32;
  return top;
}

void new_carrier(void*) {
  io_thread_start();
  fail_thread_start();
  void* unused;
  heddle_switch(&unused, base_context, thread(0).backend.fs_base);
}

// A context goes on after it was saved: as a fiber, or, once the threads have been moved, on its own kernel thread.
void settle(Thread& t) {
  if (HEDDLE_LIKELY(!moved_to_real_threads)) return;
  adopt_kernel_thread(t);
  if (!t.backend.moving) return;  // it came back from outside meanwhile, and was chosen
  t.backend.moving = false;
  __atomic_store_n(&t.backend.native, 1, __ATOMIC_SEQ_CST);
  futex_wake(&t.backend.native, 1);
  baton_park(t);
}

void arrive(Thread& t) {
  if (t.backend.unborn) return light_arrived(t);  // and was chosen before
  t.backend.fs_base = fs_base();
  park(t, wait_after_arrival);
  settle(t);
}

void expect(Thread& t) { t.backend.parking_stack = (char*)arena_allocate(kParkingStack); }

// libc starts a thread without touching anything that others could notice. Who stands between libc and us
// (AddressSanitizer) may map memory for it, and knows threads by their kernel threads.
bool made_by_libc() {
  dl_find_object made, libc;
  return _dl_find_object((void*)HEDDLE_REAL(pthread_create), &made) == 0 &&
         _dl_find_object((void*)gnu_get_libc_version, &libc) == 0 && made.dlfo_link_map == libc.dlfo_link_map;
}

void await_arrival(Thread&) {}

void start() {
  expect(*self);
  self->backend.native = 1;
  self->backend.fs_base = fs_base();
  base_context = new_base_context();
  main_carries = true;
  light_possible = io_available() && !debugged();
}

void switch_to(Thread& from, Thread& to) {
  carry(&from.backend.context, to);
  settle(from);
}

void switch_to_idle(Thread& from) {
  to_run = nullptr;
  heddle_switch(&from.backend.context, base_context, from.backend.fs_base);
  settle(from);
}

void leave_to(Thread& from, Thread* to) {
  if (from.backend.light && from.finished) return light_end(from, to);
  to_run = to;
  if (main_carries && from.index == 0) {
    main_carries = false;
    make_kernel_thread(new_carrier, nullptr);  // runs `to`; main just goes on
    return;
  }
  to_native = &from;
  heddle_switch(&from.backend.context, base_context, from.backend.fs_base);
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &from.backend.parked_mask, 0, 8);  // on its own kernel thread now
}

void enter(Thread& t) {
  park(t, wait_after_return);
  settle(t);
}

// Its kernel thread continues its context, settles, and parks there.
void bring_over(Thread& t) {
  give_kernel_thread(t);
  if (t.backend.unborn) light_in_libc = &t;
  t.backend.foreign = t.backend.moving = true;
  t.backend.native = 0;
  baton_wake(t);
  await_parked(t);
}

}  // namespace

bool moved_to_real_threads;

void move_to_real_threads(const char* why) {
  Thread& me = *self;
  note("%s concerns one kernel thread: from there on the run uses real threads (backend=baton), which is slower", why);
  for (uint32_t i = 0; i < thread_count(); i++)
    if (Thread& t = thread(i); !t.finished) await_parked(t);  // those that have just been made arrive as fibers
  light_possible = false;
  moved_to_real_threads = true;
  if (!main_carries || me.index != 0) {
    to_native = &me;
    heddle_switch(&me.backend.context, base_context, me.backend.fs_base);
  }
  backend = &baton_backend;
  adopt_kernel_thread(me);
  const uint8_t allowed = io_selector;
  io_selector = 1;  // libc's first calls for a thread
  for (uint32_t i = 0; i < thread_count(); i++) {
    Thread& t = thread(i);
    if (&t == &me || t.finished) continue;
    if (t.state == HEDDLE_T_OUT)
      t.backend.foreign = true;
    else
      bring_over(t);
  }
  io_selector = allowed;
}

void adopt_kernel_thread(Thread& t) {
  t.backend.foreign = false;
  io_adopt_kernel_thread(t);
}

void give_kernel_thread(Thread& t) {
  if (HEDDLE_LIKELY(!t.backend.light)) return;
  t.backend.native = 0;
  make_kernel_thread(native_entry, &t);
  await_parked(t);
}

void carry_on_with(Thread* next) {
  void* dead;
  if (next) carry(&dead, *next);
  to_run = nullptr;
  heddle_switch(&dead, base_context, thread(0).backend.fs_base);
  __builtin_trap();
}

const char* no_fibers() {
  if (!(getauxval(AT_HWCAP2) & 2)) return "this CPU or kernel has no FSGSBASE";
  if (!made_by_libc()) return "a library of the program (a sanitizer?) makes threads in place of libc";
  if (under_valgrind()) return "the program runs under valgrind";
  return nullptr;
}

const Backend fiber_backend{"fibers", start, expect, arrive, await_arrival, switch_to, switch_to_idle, leave_to, enter};

}  // namespace heddle::rt
