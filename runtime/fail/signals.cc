// Fatal signals. We hold the handler as long as the program's own disposition is the default; a program that handles
// SIGSEGV itself gets its signal, and its later return to the default gets ours back. After the report the process dies
// of the signal it would have died of.
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/arena.h"
#include "runtime/control/backend.h"
#include "runtime/control/control.h"
#include "runtime/control/discipline.h"
#include "runtime/control/fail.h"
#include "runtime/control/io.h"

extern "C" void heddle_restore_rt();  // runtime/io/raw_syscall.S

namespace heddle::rt {
namespace {

struct KernelAction {
  void* handler;
  uint64_t flags;
  void* restorer;
  uint64_t mask;
};
constexpr uint64_t kRestorer = 0x04000000;
constexpr int kSignals = 65;
constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
KernelAction wanted[kSignals];  // the program's own dispositions of the fatal ones

HeddleFailureKind kind_of(int signo) {
  switch (signo) {
    case SIGSEGV: return HEDDLE_FAIL_SEGFAULT;
    case SIGBUS: return HEDDLE_FAIL_BUS;
    case SIGFPE: return HEDDLE_FAIL_FPE;
    case SIGILL: return HEDDLE_FAIL_ILL;
    case SIGTRAP: return HEDDLE_FAIL_ILL;
    case SIGABRT: return HEDDLE_FAIL_ABORT;
    default: return HEDDLE_FAIL_NONE;
  }
}

void copy_registers(HeddleRegs& to, const ucontext_t& from) {
  const greg_t* g = from.uc_mcontext.gregs;
  to = {(uint64_t)g[REG_RIP], (uint64_t)g[REG_RSP], (uint64_t)g[REG_RBP], (uint64_t)g[REG_RBX], (uint64_t)g[REG_R12],
        (uint64_t)g[REG_R13], (uint64_t)g[REG_R14], (uint64_t)g[REG_R15], (uint64_t)g[REG_RAX], (uint64_t)g[REG_RCX],
        (uint64_t)g[REG_RDX], (uint64_t)g[REG_RSI], (uint64_t)g[REG_RDI], (uint64_t)g[REG_R8],  (uint64_t)g[REG_R9],
        (uint64_t)g[REG_R10], (uint64_t)g[REG_R11]};
}

void die_of(int signo) {
  KernelAction dfl{};
  raw_syscall(SYS_rt_sigaction, signo, &dfl, 0, 8);
  uint64_t none = 0;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, 8);
  raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), signo);
}

void fatal(int signo, siginfo_t* info, void* context) {
  if (discipline.defers_signal(signo, info, context)) return;
  if ((signo == SIGSEGV || signo == SIGBUS) && io_recover_fault(static_cast<ucontext_t*>(context))) return;
  discipline.stay_inside();
  if (mode == Mode::kControlled && begin_failure(self)) {
    HeddleFailure& f = region->result.failure;
    f.signal = (uint32_t)signo;
    f.fault_address = signo == SIGABRT ? 0 : (uint64_t)info->si_addr;
    if (signo == SIGABRT && !verdict.kind) copy_text(f.message, sizeof f.message, libc_abort_message());
    copy_registers(f.regs, *(ucontext_t*)context);
    f.has_regs = 1;
    commit_failure(signo == SIGABRT && verdict.kind ? verdict.kind : kind_of(signo));
    await_inspection();
  }
  die_of(signo);
}

// In front of the program's own handler.
void handled_by_program(int signo, siginfo_t* info, void* context) {
  if (discipline.defers_signal(signo, info, context)) return;
  reinterpret_cast<void (*)(int, siginfo_t*, void*)>(wanted[signo].handler)(signo, info, context);
  // It may go on in a region whose hooks were counted in front of the handler's steps: their numbers must not be lower
  // than 0 now.
  if (self) self->budget -= HEDDLE_RECORD_HOOKS;
}

void install(int signo) {
  KernelAction ours{(void*)fatal, SA_SIGINFO | SA_ONSTACK | SA_NODEFER | kRestorer, (void*)heddle_restore_rt, 0};
  raw_syscall(SYS_rt_sigaction, signo, &ours, 0, 8);
}

}  // namespace

bool program_handles_faults;

void count_hooks_of_handler(void** handler, uint64_t* flags) {
  *handler = (void*)handled_by_program;
  *flags |= SA_SIGINFO;
}

long fail_sigaction(int signo, const void* action, void* old, size_t sigset_size) {
  bool fatal_signal = signo > 0 && signo < kSignals && kind_of(signo) != HEDDLE_FAIL_NONE;
  KernelAction copy{};
  if (action) {
    copy = *(const KernelAction*)action;
    if (copy.flags & kRestorer) copy.restorer = (void*)heddle_restore_rt;
    // Fibers share the kernel's mask: another one that runs while this handler is at a point must get its own faults.
    if (on_fibers()) {
      copy.flags |= SA_NODEFER;
      for (int fault : kFatal) copy.mask &= ~(1ull << (fault - 1));
    }
  }
  if (signo == SIGSYS || fatal_signal) {
    KernelAction before = wanted[signo];
    if (action) {
      wanted[signo] = *(const KernelAction*)action;
      program_handles_faults = wanted[SIGSEGV].handler != (void*)SIG_DFL || wanted[SIGBUS].handler != (void*)SIG_DFL;
      if (fatal_signal) {
        if (copy.handler != (void*)SIG_DFL && copy.handler != (void*)SIG_IGN)
          discipline.fault_handler(&copy.handler, &copy.flags);
        if (copy.handler == (void*)SIG_DFL)
          install(signo);
        else
          raw_syscall(SYS_rt_sigaction, signo, &copy, 0, sigset_size);
      }
    }
    if (old) *(KernelAction*)old = before;
    return 0;
  }
  return raw_syscall(SYS_rt_sigaction, signo, action ? &copy : nullptr, old, sigset_size);
}

void fail_thread_start() {
  constexpr size_t kSize = 16 * 1024;
  stack_t stack{};
  raw_syscall(SYS_sigaltstack, 0, &stack);
  if (!(stack.ss_flags & SS_DISABLE)) return;
  stack.ss_sp = arena_allocate_cold(kSize);
  stack.ss_size = kSize;
  stack.ss_flags = 0;
  raw_syscall(SYS_sigaltstack, &stack, 0);
}

void install_fatal_handlers() {
  for (int signo : kFatal) {
    KernelAction now{};
    raw_syscall(SYS_rt_sigaction, signo, 0, &now, 8);
    wanted[signo] = now;
    if (now.handler == (void*)SIG_DFL) install(signo);
  }
  program_handles_faults = wanted[SIGSEGV].handler != (void*)SIG_DFL || wanted[SIGBUS].handler != (void*)SIG_DFL;
}

}  // namespace heddle::rt
