// Before main: finds the region, becomes the fork server, and starts control in each child.
//
//   preinit.cc (in the executable) or runtime/preload/ (before it)
//        -> start() --no HEDDLE_REGION--> idle: real primitives, plain clones
//                       |
//       constructors of plain libraries (once, in the server: they cost more than everything of ours)
//                       |
//   first instrumented module registers, or the first thread is about to be made
//                       +--> serve(): fork per run --child--> child_start() -> other constructors -> main under control
#include "runtime/start/start.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/arena.h"
#include "runtime/control/backend.h"
#include "runtime/control/code_address.h"
#include "runtime/control/control.h"
#include "runtime/control/debugger.h"
#include "runtime/control/recording.h"
#include "runtime/control/scheduler.h"
#include "runtime/detector/detector.h"
#include "runtime/fail/fail.h"
#include "runtime/hooks/access.h"
#include "runtime/hooks/sites.h"
#include "runtime/io/io.h"
#include "runtime/parallel/parallel.h"
#include "runtime/start/openmp.h"
#include "runtime/sync/real.h"
#include "runtime/sync/threads.h"

namespace heddle::rt {

bool preloaded;

namespace {

bool is_variable(const char* entry, const char* name) {
  size_t n = __builtin_strlen(name);
  return !__builtin_strncmp(entry, name, n) && entry[n] == '=';
}

// The preload build stands first in LD_PRELOAD; what follows is the user's own. False: nothing follows.
bool without_our_preload(char* entry) {
  char* value = entry + sizeof "LD_PRELOAD";
  char* rest = __builtin_strchr(value, ':');
  if (!rest) return false;
  do *value++ = *++rest;
  while (*rest);
  return true;
}

// Takes HEDDLE_REGION (and the padding) out of the environment: the program must not see them.
int take_region_descriptor(char** environment) {
  int found = -1;
  bool preloaded = false;
  for (char** e = environment; *e; e++) {
    if (is_variable(*e, HEDDLE_REGION_ENV)) found = 0;
    preloaded |= is_variable(*e, HEDDLE_PRELOAD_ENV);
  }
  if (found < 0) return -1;  // nobody controls us: the environment is the user's own
  char** to = environment;
  for (char** from = environment; *from; from++) {
    char* e = *from;
    if (is_variable(e, HEDDLE_REGION_ENV)) {
      found = 0;
      for (const char* p = e + sizeof HEDDLE_REGION_ENV; *p >= '0' && *p <= '9'; p++) found = found * 10 + (*p - '0');
      continue;
    }
    if (is_variable(e, "HEDDLE_PAD") || is_variable(e, "LD_BIND_NOW")) continue;
    if (is_variable(e, HEDDLE_PRELOAD_ENV) || is_variable(e, HEDDLE_FOLLOW_ENV)) continue;
    if (preloaded && is_variable(e, "LD_PRELOAD") && !without_our_preload(e)) continue;
    *to++ = *from;
  }
  *to = nullptr;
  return found;
}

HeddleRegion* map_region(int fd) {
  HeddleRegion header;
  if (raw_syscall(SYS_pread64, fd, &header, sizeof header, 0) != (long)sizeof header) return nullptr;
  if (header.magic != HEDDLE_REGION_MAGIC || header.version != HEDDLE_REGION_VERSION) return nullptr;
  count_own_mapping(header.total_size, true);
  long p = raw_syscall(SYS_mmap, HEDDLE_REGION_ADDRESS, header.total_size, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
  return p > 0 ? (HeddleRegion*)p : nullptr;
}

void ring_host() {
  __atomic_add_fetch(&region->host_bell, 1, __ATOMIC_SEQ_CST);
  futex_wake(&region->host_bell, 64, true);
}

void pin(int cpu) {
  if (cpu < 0) return;
  uint64_t mask[16] = {};
  mask[cpu / 64 % 16] = 1ull << (cpu % 64);
  raw_syscall(SYS_sched_setaffinity, 0, sizeof mask, mask);
}

void reset_result() {
  __builtin_memset(&region->result, 0, sizeof region->result);
  region->ring_head = region->ring_tail = 0;
  region->ring_waiting = 0;
}

}  // namespace

void child_start() {
  raw_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  region->result.preloaded = preloaded;
  recording_start();
  scheduler_start();
  // libc loads and links the unwinder when a thread is unwound for the first time, under locks of its own: in a recording it must not
  // matter whose turn that is.
  if (by_hooks) {
    void* here;
    backtrace(&here, 1);
  }
  if (region->run.detector) detector::start();
  detector::on_race = fail_race;
  every_access_slow = recording.detail >= HEDDLE_DETAIL_ACCESSES || region->run.point_set == HEDDLE_POINTS_ALL || parallel;
  threads_start();
  fail_start();
  mode = Mode::kControlled;
  sites_start();
  io_start();
  backend->start();
  io_rearm();
}

void* return_at_once(void* p) { return p; }

// libc keeps the stacks of threads that ended. With a few of them in the server, every run saves their mmap and mprotect (8 us a
// thread). The program cannot tell: libc's word for "never had a thread" is put back. There are two of them where the executable has
// a copy (gcc's objects): libc looks at its own.
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

void serve() {
  cache_stacks();
  install_fatal_handlers();  // inherited by every run; the program cannot change its own any more before that
  region->server_pid = (int)raw_syscall(SYS_getpid);
  if (debugged()) return debugger_start();
  __atomic_store_n(&region->server_state, (uint32_t)HEDDLE_SERVER_READY, __ATOMIC_SEQ_CST);
  ring_host();
  uint32_t done = 0;
  for (;;) {
    uint32_t go;
    while ((go = __atomic_load_n(&region->server_go, __ATOMIC_SEQ_CST)) == done)
      futex_wait(&region->server_go, done, 0, true);
    if (go == ~0u) raw_syscall(SYS_exit_group, 0);
    reset_result();
    pin(region->run.pin_cpu);
    region->server_state = HEDDLE_SERVER_RUNNING;
    pid_t child = fork();
    if (child == 0) return;
    int status = 0;
    if (child > 0) {
      region->result.child_pid = child;
      while (raw_syscall(SYS_wait4, child, &status, 0, 0) == -4) {
      }
    } else {
      copy_text(region->server_error, sizeof region->server_error, "fork failed");
    }
    region->result.wait_status = child > 0 ? status : -1;
    __atomic_store_n(&region->result.ended, 1, __ATOMIC_SEQ_CST);
    region->server_state = HEDDLE_SERVER_READY;
    done = go;
    __atomic_store_n(&region->server_done, go, __ATOMIC_SEQ_CST);
    ring_host();
  }
}

namespace {

[[noreturn]] void refuse(const char* why, const char* what) {
  size_t used = 0;
  const char* const parts[] = {why, what};
  for (const char* part : parts)
    for (; *part && used + 1 < sizeof region->server_error; part++) region->server_error[used++] = *part;
  region->server_error[used] = 0;
  __atomic_store_n(&region->server_state, (uint32_t)HEDDLE_SERVER_FAILED, __ATOMIC_SEQ_CST);
  ring_host();
  raw_syscall(SYS_exit_group, 2);
  __builtin_trap();
}

void begin() {
  if (const char* library = openmp_library()) refuse("uses OpenMP, whose threads heddle does not control yet: ", library);
  serve();
  child_start();
}

}  // namespace

void start(char** environment) {
  resolve_real();
  int fd = take_region_descriptor(environment);
  if (fd < 0) return;
  region = map_region(fd);
  raw_syscall(SYS_close, fd);
  if (!region) return;
  // Programs started by this program (the region's descriptor is closed now) must not find a server.
  uint32_t none = HEDDLE_SERVER_NONE;
  if (!__atomic_compare_exchange_n(&region->server_state, &none, (uint32_t)HEDDLE_SERVER_RUNNING, false, __ATOMIC_SEQ_CST,
                                   __ATOMIC_SEQ_CST)) {
    region = nullptr;
    return;
  }
  raw_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  mode = Mode::kServer;
  scheduler_prepare();
  arena_prepare();
  fail_prepare();
  io_prepare();
  detector::prepare();
  threads_prepare();
  heap_prepare();
  sites_prepare();
  code_key((uint64_t)&child_start);  // the executable is known: no run has to look it up
}

void begin_run() {
  if (mode == Mode::kServer && !region->run.fork_at_mark) begin();
}

}  // namespace heddle::rt

using namespace heddle::rt;

HEDDLE_EXPORT void heddle_init_done() {
  if (mode == Mode::kServer && region->run.fork_at_mark) begin();
}
