#include "runtime/control/light.h"

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "runtime/control/control.h"
#include "runtime/control/debugger.h"
#include "runtime/control/io.h"

extern "C" void heddle_light_begin();  // fiber_switch.S

namespace heddle::rt {

bool light_possible, light_ids;
Thread *light_in_libc, *light_being_made;

namespace {

Thread* after_end;
constexpr uint32_t kFirstTid = 0x0f000000;  // no kernel gives out such ids; the id of a clock has 29 bits for it

// As heddle_switch would have saved it: goes on behind libc's system call with its registers, on the new stack, as the
// child.
void* first_context(uint64_t* stack_top, const greg_t* g) {
  uint64_t* c = stack_top - 8;
  uint32_t mxcsr;
  uint16_t x87;
  __asm__("stmxcsr %0\n fnstcw %1" : "=m"(mxcsr), "=m"(x87));
  c[0] = mxcsr | (uint64_t)x87 << 32;
  c[1] = (uint64_t)g[REG_RDI];            // r15
  c[2] = (uint64_t)g[REG_R8];             // r14
  c[3] = (uint64_t)g[REG_RDX];            // r13
  c[4] = (uint64_t)g[REG_RIP];            // r12
  c[5] = (uint64_t)g[REG_RSI];            // rbx
  c[6] = 0;                               // rbp: the last frame
  c[7] = (uint64_t)&heddle_light_begin;
  return c;
}

long make(Thread& t, const clone_args& q, const ucontext_t& uc) {
  const uint32_t tid = kFirstTid + t.index;
  t.backend.context = first_context((uint64_t*)(q.stack + q.stack_size), uc.uc_mcontext.gregs);
  t.backend.fs_base = q.tls;
  t.backend.light = t.backend.unborn = true;
  t.backend.native = 1;
  light_ids = true;
  *(uint32_t*)q.parent_tid = tid;
  return tid;
}

constexpr uint64_t kAsLibcMakesThem = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                                      CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

// libc sets these by the id of the kernel thread.
bool needs_kernel_thread(const pthread_attr_t* attributes) {
  int inherits = PTHREAD_INHERIT_SCHED;
  cpu_set_t cpus, all;
  if (!attributes) return false;
  pthread_attr_getinheritsched(attributes, &inherits);
  __builtin_memset(&all, 0xff, sizeof all);
  return inherits != PTHREAD_INHERIT_SCHED || pthread_attr_getaffinity_np(attributes, sizeof cpus, &cpus) != 0 ||
         __builtin_memcmp(&cpus, &all, sizeof cpus) != 0;
}

}  // namespace

LightCreation::LightCreation(Thread& t, const pthread_attr_t* attributes) {
  if (light_possible && !needs_kernel_thread(attributes))
    light_being_made = &t;
  else
    io_allow_begin();
}

LightCreation::~LightCreation() {
  if (!light_being_made) {
    io_allow_end();
    return;
  }
  light_being_made = nullptr;
  io_rearm();
}

// Of libc, while it makes a thread or ends one: what is the kernel thread's own does not happen, everything else does.
long light_call(long number, const long a[6], const void* ucontext) {
  if (light_being_made && number == SYS_clone3) {
    const auto& q = *(const clone_args*)a[0];
    if (q.flags == kAsLibcMakesThem && q.parent_tid == q.child_tid)
      return make(*light_being_made, q, *static_cast<const ucontext_t*>(ucontext));
  }
  if (light_in_libc) {
    switch (number) {
      // Of a kernel thread: the carrier has its own.
      case SYS_rseq: case SYS_set_robust_list: case SYS_rt_sigprocmask: return 0;
      case SYS_exit:
        __atomic_store_n(light_in_libc->backend.tid_word, 0, __ATOMIC_RELEASE);  // the kernel's part of it
        light_in_libc = nullptr;
        carry_on_with(after_end);
      default: break;
    }
  }
  if (light_being_made && (number == SYS_clone || number == SYS_clone3)) return -ENOSYS;  // another libc than we know
  return heddle_raw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

Thread* light_by_id(long tid) {
  return tid >= kFirstTid && tid < (long)(kFirstTid + control.thread_count) ? &control.threads[tid - kFirstTid]
                                                                            : nullptr;
}

void light_rename(long number, long a[6]) {
  const auto rename = [](long tid) {
    const Thread* t = light_by_id(tid);
    return !t ? tid : t->backend.light ? 0 : t->info->tid;
  };
  switch (number) {
    case SYS_sched_getparam:
    case SYS_sched_setparam:
    case SYS_sched_getscheduler:
    case SYS_sched_setscheduler:
    case SYS_sched_getattr:
    case SYS_sched_setattr: case SYS_sched_rr_get_interval:
      a[0] = rename(a[0]);
      return;
    case SYS_getpriority: case SYS_setpriority:
      a[1] = rename(a[1]);
      return;
    case SYS_clock_gettime: case SYS_clock_getres: {  // a thread's clock: ~tid << 3 | kind
      const int clock = (int)a[0];
      const long id = ~(clock >> 3), real = rename(id);
      if (clock < 0 && real != id) a[0] = real ? (int)(~real << 3 | (clock & 7)) : CLOCK_THREAD_CPUTIME_ID;
      return;
    }
    default: return;
  }
}

void light_arrived(Thread& t) {
  t.backend.unborn = false;
  light_in_libc = nullptr;
}

void light_end(Thread& t, Thread* next) {
  after_end = next;
  light_in_libc = &t;
}

void light_becomes_native(Thread& t) {
  const int tid = (int)raw_syscall(SYS_gettid);
  t.backend.light = false;
  t.info->tid = tid;
  raw_syscall(SYS_set_tid_address, t.backend.tid_word);  // the number there stays: libc's recursive locks remember it
  io_thread_start();
}

}  // namespace heddle::rt
