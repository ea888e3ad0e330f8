// Syscall User Dispatch: the kernel turns every system call made outside heddle_sys (raw_syscall.S) into a SIGSYS on
// the thread that made it. The handler answers as the kernel would.
//
// Rules of this file: the handler runs on the thread's own stack and may switch fibers, so nothing of it is global. It
// runs with the thread's signal mask; signal handlers of the program never run inside it (signals.cc queues them).
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#include "runtime/arena.h"
#include "runtime/control/backend.h"
#include "runtime/control/light.h"
#include "runtime/control/recording.h"
#include "runtime/io/changes.h"
#include "runtime/io/descriptors.h"
#include "runtime/io/kernel_signal.h"
#include "runtime/io/named_calls.h"
#include "runtime/io/stream.h"
#include "runtime/parallel/waiters.h"

extern "C" __attribute__((visibility("hidden"))) char __start_heddle_sys[], __stop_heddle_sys[];
extern "C" char heddle_copy_at[], heddle_copy_stopped[], heddle_loads[], heddle_loads_end[], heddle_load_stopped[];
extern "C" uint64_t heddle_load1(const void* from, bool* ok), heddle_load2(const void* from, bool* ok);
extern "C" uint64_t heddle_load4(const void* from, bool* ok), heddle_load8(const void* from, bool* ok);
extern "C" size_t heddle_copy(void* to, const void* from, size_t bytes);

namespace heddle::rt {

volatile uint8_t io_selector = 0;
long real_pid, told_pid;

namespace {

enum { kAllow = 0, kBlock = 1 };
constexpr int kSetDispatch = 59;  // PR_SET_SYSCALL_USER_DISPATCH
bool available;
uint32_t allow_before_start;
Thread nobody{};  // stands for a thread that is not under control

long call_pass(Call& c) {
  check_protection(c);
  const long result = execute(c);
  if (c.number != SYS_rt_sigpending || failed(result)) return result;
  uint64_t pending = 0;  // the kernel's, and what it does not know of
  if (read_program(&pending, (uint64_t)c.a[0], sizeof pending)) pending |= blocked_signals(c.thread);
  return write_program((uint64_t)c.a[0], &pending, sizeof pending) ? result : -EFAULT;
}

long call_yield(Call& c) {
  point_yielding(op_of(c, HEDDLE_EV_YIELD));
  return 0;
}

long call_futex(Call& c) {
  if (long result; discipline.libc_futex(c, &result)) return result;
  return futex_model(c.a[0], c.a[1], c.a[2], c.a[3], c.a[4], c.a[5], c.site);
}

// The program's handlers return through our restorer; one that was installed before us has its own.
long call_sigreturn(Call& c) {
  c.context->uc_mcontext.gregs[REG_RIP] = (greg_t)heddle_restore_rt;
  return SYS_rt_sigreturn;
}

long call_prctl(Call& c) {
  if (c.a[0] == kSetDispatch) {
    note("the program uses Syscall User Dispatch itself: it is told that the kernel lacks it");
    return -EINVAL;
  }
  if (c.a[0] == PR_SET_SECCOMP)
    note("the program sets a seccomp filter: it must allow what control needs (futex, ppoll, clone)");
  char* label = c.thread.info->label;  // fibers share the carrier's name: each has its own here
  if (c.a[0] == PR_SET_NAME) {
    char name[16] = {};
    for (size_t i = 0; i + 1 < sizeof name && read_program(name + i, (uint64_t)c.a[1] + i, 1) && name[i]; i++) {}
    __builtin_memcpy(label, name, sizeof name);
  }
  static bool any_named;
  any_named |= c.a[0] == PR_SET_NAME;
  if (c.a[0] == PR_GET_NAME && any_named) {
    char name[16] = {};
    const char* from = label[0] ? label : program_invocation_short_name;
    __builtin_memcpy(name, from, strnlen(from, sizeof name - 1));
    return write_program(c.a[1], name, sizeof name) ? 0 : -EFAULT;
  }
  return execute(c);
}

long call_uring(Call& c) {
  if (c.number == SYS_io_setup)
    note(
        "asynchronous I/O of the kernel (io_setup) cannot be controlled: the program is told that the kernel lacks it");
  else
    note("io_uring cannot be controlled: the program is told that the kernel lacks it (most programs then use epoll)");
  return -ENOSYS;
}

using Handler = long (*)(Call&);
constexpr Handler handlers[(int)Class::COUNT] = {
    call_pass,   call_recorded,  call_recorded, call_recorded,  call_recorded, call_native, call_mmap,
    call_memory, call_sigaction, call_sigmask,  call_sigreturn, call_kill,     call_yield,  call_sleep,
    call_clock,  call_timer,     call_getpid,   call_gettid,    call_clone,    call_exec,   call_exit,
    call_pass,   call_futex,     call_affinity, call_getcpu,    call_prctl,    call_limit,  call_altstack,
    call_uring,  call_vmwrite,   call_remap,    call_unmap,     call_sync};

// Nobody controls this thread (any more): as if we were not there.
long uncontrolled(Call& c) {
  if (c.policy.cls == Class::SIGRETURN) return call_sigreturn(c);
  if (c.policy.cls == Class::CLONE) return call_clone(c);
  return execute(c);
}

void answer(Call& c, const void* frame, void* pc, long* result) {
  const InsideCall inside(c.thread);
  if (HEDDLE_UNLIKELY(on_fibers() && concerns_kernel_thread(c))) move_to_real_threads(c.policy.name);
  if (light_ids) light_rename(c.number, c.a);
  read_back_if_needed(c.thread, frame);  // before the call unmaps it
  c.site = pc_site(pc);
  *result = handlers[(int)c.policy.cls](c);
  if (HEDDLE_LIKELY(controlled())) signals_after_call(c.thread, c.context);
  if (HEDDLE_UNLIKELY(moved_to_real_threads && c.context)) io_refresh_frame(c);
}

void on_sigsys(int, siginfo_t* info, void* context) {
  ucontext_t* uc = static_cast<ucontext_t*>(context);
  greg_t* g = uc->uc_mcontext.gregs;
  if (info->si_code != 2 /* SYS_USER_DISPATCH */) die_by_signal(SIGSYS);
  if (HEDDLE_UNLIKELY(light_calls())) {
    const long a[6] = {g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]};
    g[REG_RAX] = light_call(info->si_syscall, a, uc);
    return;
  }
  Thread* t = self;
  bool ours = controlled() && t && t->state == HEDDLE_T_RUNNING;
  Call c{info->si_syscall,
         {g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]},
         uc,
         0,
         ours ? *t : nobody,
         policy_of(info->si_syscall)};
  if (HEDDLE_UNLIKELY(!ours)) {
    g[REG_RAX] = uncontrolled(c);
    return;
  }
  const uint64_t before = t->io.trapped_at;
  t->io.trapped_at = (uint64_t)g[REG_RSP];
  answer(c, (void*)(g[REG_RSP] - 16), (void*)g[REG_RIP], (long*)&g[REG_RAX]);
  t->io.trapped_at = before;
}

bool arm() {
  return raw_syscall(SYS_prctl, kSetDispatch, 1, __start_heddle_sys, __stop_heddle_sys - __start_heddle_sys,
                     &selector()) == 0;
}

// Copies between us and the program, whose pointers may be bad: by ourselves where a fault comes back to us, else
// through the kernel (1.4 us more).
bool copy_checked(long number, void* ours, uint64_t theirs, size_t bytes) {
  if (!bytes) return true;
  bool reads = number == SYS_process_vm_readv;
  void *to = reads ? ours : (void*)theirs, *from = reads ? (void*)theirs : ours;
  if (HEDDLE_LIKELY(!program_handles_faults)) return heddle_copy(to, from, bytes) == 0;
  iovec local{ours, bytes}, remote{(void*)theirs, bytes};
  long n = raw_syscall(number, real_pid, &local, 1, &remote, 1, 0);
  if (n == -ENOSYS || n == -EPERM) return heddle_copy(to, from, bytes) == 0;
  return n == (long)bytes;
}

}  // namespace

bool under_valgrind() {
  // Valgrind's client request RUNNING_ON_VALGRIND; a no-op on a real CPU.
  uint64_t request[6] = {0x1001, 0, 0, 0, 0, 0};
  uint64_t answer = 0;
  __asm__ volatile(
      "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
      : "+d"(answer)
      : "a"(request)
      : "cc", "memory", "rdi");
  return answer != 0;
}

bool is_trapped() {
  return controlled() && self && self->state == HEDDLE_T_RUNNING && available && selector() == kBlock && !light_calls();
}

long named_call(long number, const long (&a)[6], void* pc, const void* frame) {
  Call c{number, {a[0], a[1], a[2], a[3], a[4], a[5]}, nullptr, 0, *self, policy_of(number)};
  long result;
  answer(c, frame, pc, &result);
  return result;
}

bool read_program(void* to, uint64_t from, size_t bytes) { return copy_checked(SYS_process_vm_readv, to, from, bytes); }
bool write_program(uint64_t to, const void* from, size_t bytes) {
  return copy_checked(SYS_process_vm_writev, const_cast<void*>(from), to, bytes);
}

bool io_peek(const volatile void* p, uint32_t size, uint64_t* value) {
  bool ok = true;
  // Its own live stack can be read without asking the kernel.
  uint64_t here = (uint64_t)__builtin_frame_address(0);
  bool on_own_stack = self && here >= self->stack_low && (uint64_t)p >= here && (uint64_t)p + size <= self->stack_high;
  if (HEDDLE_UNLIKELY(program_handles_faults && !on_own_stack)) {
    *value = 0;
    return size <= 8 && copy_checked(SYS_process_vm_readv, value, (uint64_t)p, size);
  }
  switch (size) {
    case 1: *value = heddle_load1((const void*)p, &ok); return ok;
    case 2: *value = heddle_load2((const void*)p, &ok); return ok;
    case 4: *value = heddle_load4((const void*)p, &ok); return ok;
    case 8: *value = heddle_load8((const void*)p, &ok); return ok;
    default: return false;
  }
}

ThreadIo& io_of(Thread& t) {
  if (HEDDLE_LIKELY(t.io.state != nullptr)) return *static_cast<ThreadIo*>(t.io.state);
  ThreadIo* io = arena_new<ThreadIo>();
  stream_attach(t, *io);
  io->queued = static_cast<QueuedSignal*>(arena_allocate_cold(sizeof(QueuedSignal) * 65));
  t.io.state = io;
  io->mask = initial_mask(t);
  return *io;
}

void io_thread_created(Thread& t) { io_of(t); }

bool io_available() { return available; }

bool io_recover_fault(void* context) {
  greg_t* g = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (feeding() && mapped_file_grew((uint64_t)g[REG_CR2])) return true;
  if (g[REG_RIP] >= (greg_t)heddle_loads && g[REG_RIP] < (greg_t)heddle_loads_end) {
    g[REG_RIP] = (greg_t)heddle_load_stopped;
    return true;
  }
  if (g[REG_RIP] != (greg_t)heddle_copy_at) return false;
  g[REG_RIP] = (greg_t)heddle_copy_stopped;
  return true;
}

void io_start() {
  real_pid = told_pid = raw_syscall(SYS_getpid);
  region->result.child_pid = (int)real_pid;
  descriptors_start();
  changes_start();
  discipline.choose_inputs();
  stream_start();
  signals_start();
  random_start();
  io_of(*self);
  KernelSigaction action{(void*)on_sigsys, SA_SIGINFO | SA_NODEFER | kSaRestorer, heddle_restore_rt, 0};
  raw_syscall(SYS_rt_sigaction, SIGSYS, &action, nullptr, 8);
  available = !under_valgrind();
  if (available) io_thread_start();
  if (!available)
    note("system calls cannot be trapped here: what the program reads is not recorded, replays may differ");
  io_rearm();
}

void io_thread_start() {
  if (!available) return;
  uint64_t sigsys = 1ull << (SIGSYS - 1);
  raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &sigsys, nullptr, 8);
  if (!arm()) available = false;
}

void io_thread_stop() {
  if (available) raw_syscall(SYS_prctl, kSetDispatch, 0, 0, 0, 0);
}

void io_allow_begin() {
  if (controlled() && self)
    io_of(*self).allow++;
  else
    allow_before_start++;
  selector() = kAllow;
}

void io_allow_end() {
  if (!controlled() || !self) {
    allow_before_start--;
    return;
  }
  if (--io_of(*self).allow == 0) selector() = kBlock;
}

}  // namespace heddle::rt
