// System calls that the kernel answers for one kernel thread: credentials, scheduling, namespaces, pending signals,
// registers. Fibers share one, so the first of them moves the run to real threads (control/backend.h). What is modelled
// is not here: names, ids, masks, alternate stacks, processors, clocks.
#include <linux/keyctl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "runtime/io/call.h"

namespace heddle::rt {
namespace {

constexpr long kSetGs = 0x1001, kSetFs = 0x1002, kSetCpuid = 0x1012;  // arch_prctl
constexpr int kThreadId = 4;                                          // SIGEV_THREAD_ID
constexpr int kSetXid = 33;                                           // glibc: each thread changes its ids
constexpr long kAskPersonality = 0xffffffff;

bool prctl_concerns(long option) {
  switch (option) {
    case PR_SET_PDEATHSIG:
    case PR_SET_UNALIGN:
    case PR_SET_KEEPCAPS:
    case PR_SET_FPEMU:
    case PR_SET_FPEXC:
    case PR_SET_TIMING:
    case PR_SET_ENDIAN:
    case PR_SET_SECCOMP:
    case PR_CAPBSET_DROP:
    case PR_SET_TSC:
    case PR_SET_SECUREBITS:
    case PR_SET_TIMERSLACK:
    case PR_TASK_PERF_EVENTS_DISABLE:
    case PR_TASK_PERF_EVENTS_ENABLE:
    case PR_MCE_KILL:
    case PR_SET_NO_NEW_PRIVS:
    case PR_CAP_AMBIENT:
    case PR_SET_SPECULATION_CTRL: case PR_SET_IO_FLUSHER: case PR_SCHED_CORE:
      return true;
    default: return false;
  }
}

bool is_for_one_thread(uint64_t sigevent_address) {
  struct sigevent event;
  return sigevent_address && read_program(&event, sigevent_address, sizeof event) && event.sigev_notify == kThreadId;
}

// A replay answers it from the recording, without the kernel.
bool is_fed(const Call& c) {
  return feeding() && (c.policy.cls == Class::INPUT || c.policy.cls == Class::EFFECT || c.policy.cls == Class::WRITE);
}

}  // namespace

bool concerns_kernel_thread(const Call& c) {
  switch (c.number) {
    case SYS_setuid:
    case SYS_setgid:
    case SYS_setreuid:
    case SYS_setregid:
    case SYS_setresuid:
    case SYS_setresgid:
    case SYS_setgroups:
    case SYS_setfsuid:
    case SYS_setfsgid:
    case SYS_capset:
    case SYS_setpriority:
    case SYS_sched_setparam:
    case SYS_sched_setscheduler:
    case SYS_sched_setattr: case SYS_ioprio_set: case SYS_set_mempolicy:
      return !is_fed(c);
    case SYS_ptrace:
    case SYS_unshare:
    case SYS_setns:
    case SYS_seccomp:
    case SYS_landlock_restrict_self:
    case SYS_perf_event_open:
    case SYS_modify_ldt:
    case SYS_set_thread_area:
    case SYS_set_tid_address:
    case SYS_set_robust_list:
    case SYS_rseq:
    case SYS_pkey_alloc:
    case SYS_signalfd: case SYS_signalfd4: case SYS_rt_sigpending:
      return true;
    case SYS_personality: return (c.a[0] & kAskPersonality) != kAskPersonality;
    case SYS_arch_prctl: return c.a[0] == kSetGs || c.a[0] == kSetFs || c.a[0] == kSetCpuid;
    case SYS_prctl: return prctl_concerns(c.a[0]);
    case SYS_keyctl:
      return c.a[0] == KEYCTL_JOIN_SESSION_KEYRING || c.a[0] == KEYCTL_SET_REQKEY_KEYRING ||
             c.a[1] == KEY_SPEC_THREAD_KEYRING;
    case SYS_clone: return (c.a[0] & CLONE_THREAD) != 0;
    case SYS_timer_create: return !timers_are_virtual && is_for_one_thread((uint64_t)c.a[1]);
    case SYS_getrusage: return c.a[0] == RUSAGE_THREAD && !is_fed(c);
    case SYS_tgkill: return c.a[2] == kSetXid;
    default: return false;
  }
}

}  // namespace heddle::rt
