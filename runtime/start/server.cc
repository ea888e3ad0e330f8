// The fork server: each run is a child of it. While the host looks at one run, the next is forked already and waits to
// be wanted.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/control/debugger.h"
#include "runtime/control/fail.h"
#include "runtime/io/kernel_signal.h"
#include "runtime/start/code_pages.h"
#include "runtime/start/start.h"
#include "runtime/real/real.h"
#include "runtime/sync/threads.h"

namespace heddle::rt {

void ring_host() {
  __atomic_add_fetch(&region->host_bell, 1, __ATOMIC_SEQ_CST);
  futex_wake(&region->host_bell, 64, true);
}

namespace {

void* return_at_once(void* p) { return p; }

// libc keeps the stacks of threads that ended. With a few of them in the server, every run saves their mmap and
// mprotect (8 us a thread). The program cannot tell: libc's word for "never had a thread" is put back. There are two of
// them where the executable has a copy (gcc's objects): libc looks at its own.
void cache_stacks() {
  if (sanitized()) return;  // those count threads
  constexpr int kStacks = 4;
  const char alone = __libc_single_threaded;
  pthread_t made[kStacks];
  int count = 0;
  while (count < kStacks && HEDDLE_REAL(pthread_create)(&made[count], nullptr, return_at_once, nullptr) == 0) count++;
  while (count) HEDDLE_REAL(pthread_join)(made[--count], nullptr);
  __libc_single_threaded = alone;
  if (auto* own = (char*)dlsym(RTLD_NEXT, "__libc_single_threaded")) *own = alone;
}

int pinned = -1;  // the processor of this process, inherited by runs

void pin(int cpu) {
  if (cpu < 0 || cpu == pinned) return;
  pinned = cpu;
  uint64_t mask[16] = {};
  mask[cpu / 64 % 16] = 1ull << (cpu % 64);
  raw_syscall(SYS_sched_setaffinity, 0, sizeof mask, mask);
}

// Behind a script: whoever waits for the program learns how it ended, and goes on.
[[noreturn]] void end_as_last_run() {
  const int status = region->result.wait_status;
  if (WIFSIGNALED(status)) die_by_signal(WTERMSIG(status));
  raw_syscall(SYS_exit_group, WEXITSTATUS(status));
  __builtin_trap();
}

// Until the host wants another generation than `done`.
uint32_t await_go(uint32_t done) {
  uint32_t go;
  while ((go = __atomic_load_n(&region->server_go, __ATOMIC_SEQ_CST)) == done)
    futex_wait(&region->server_go, done, 0, true);
  if (go == ~0u) done ? end_as_last_run() : (void)raw_syscall(SYS_exit_group, 0);
  return go;
}

// A run of generation `done + 1`: in the child it returns when the host wants it, with 0.
pid_t fork_run(uint32_t done) {
  const pid_t server = region->server_pid;
  pid_t child = fork();
  if (child != 0) return child;
  raw_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (raw_syscall(SYS_getppid) != server) raw_syscall(SYS_exit_group, 0);  // it died before that
  await_go(done);
  pin(region->run.pin_cpu);
  return 0;
}

constexpr long kNoChild = -10;  // ECHILD

}  // namespace

// Returns in every run.
void serve() {
  cache_stacks();
  keep_code_mapped();
  install_fatal_handlers();  // inherited by every run; the program cannot change its own any more before that
  region->server_pid = (int)raw_syscall(SYS_getpid);
  if (debugged()) return debugger_start();
  __atomic_store_n(&region->server_state, (uint32_t)HEDDLE_SERVER_READY, __ATOMIC_SEQ_CST);
  ring_host();
  uint32_t done = 0;
  pid_t child = 0;  // forked ahead
  for (;;) {
    if (child <= 0) {
      await_go(done);
      pin(region->run.pin_cpu);
      child = fork_run(done);
      if (child == 0) return;
    }
    int status = -1;
    if (child < 0) copy_text(region->server_error, sizeof region->server_error, "fork failed");
    while (child > 0 && raw_syscall(SYS_wait4, child, &status, 0, 0) == -4) {
    }
    child = 0;
    const uint32_t go = __atomic_load_n(&region->server_go, __ATOMIC_SEQ_CST);
    if (go == done) continue;  // somebody killed it before it was wanted
    if (go == ~0u) raw_syscall(SYS_exit_group, 0);
    done = go;
    long other;
    while ((other = raw_syscall(SYS_wait4, -1, nullptr, WNOHANG | __WALL, 0)) > 0) {
    }
    const bool alone = other == kNoChild;
    const bool ahead = alone && region->run.fork_ahead;
    region->result.alone = alone;
    region->result.wait_status = status;
    __atomic_store_n(&region->result.ended, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&region->server_done, go, __ATOMIC_SEQ_CST);
    ring_host();
    if (ahead && (child = fork_run(done)) == 0) return;
  }
}

}  // namespace heddle::rt
