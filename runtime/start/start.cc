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
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/arena.h"
#include "runtime/control/backend.h"
#include "runtime/control/code_address.h"
#include "runtime/control/control.h"
#include "runtime/control/debugger.h"
#include "runtime/control/discipline.h"
#include "runtime/control/recording.h"
#include "runtime/control/scheduler.h"
#include "runtime/detector/detector.h"
#include "runtime/control/fail.h"
#include "runtime/hooks/access.h"
#include "runtime/hooks/sites.h"
#include "runtime/control/io.h"
#include "runtime/log/log.h"
#include "runtime/sync/openmp.h"
#include "runtime/real/next.h"
#include "runtime/real/real.h"
#include "runtime/sync/threads.h"

namespace heddle::rt {

bool preloaded;

// set-user-ID, set-group-ID, file capabilities: the environment and the descriptors are those of somebody with fewer
// rights, and the region is memory that they can write. Nothing of theirs is looked at, not even to hide it.
bool runs_for_another_user() { return getauxval(AT_SECURE) != 0; }

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
  if (header.magic != HEDDLE_REGION_MAGIC) return nullptr;
  if (header.version != HEDDLE_REGION_VERSION) {
    constexpr char kText[] = "its runtime is of another version of heddle: build it again\n";
    raw_syscall(SYS_write, 2, kText, sizeof kText - 1);
    raw_syscall(SYS_exit_group, 2);
  }
  count_own_mapping(header.total_size, true);
  long p = raw_syscall(SYS_mmap, HEDDLE_REGION_ADDRESS, header.total_size, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
  return p > 0 ? (HeddleRegion*)p : nullptr;
}

// Nobody controls the program: it may keep a log of itself.
void start_log(char** environment) {
  log::Settings settings{};
  if (log::read_settings(environment, settings) && (settings.path[0] || settings.descriptor >= 0)) log::start(settings);
}

}  // namespace

void child_start() {
  region->result.preloaded = preloaded;
  recording_start();
  scheduler_start();
  if (region->run.detector) detector::start();
  detector::on_race = fail_race;
  every_access_slow = wants(HEDDLE_DETAIL_ACCESSES) || region->run.point_set == HEDDLE_POINTS_ALL;
  discipline.run_starts(*self);
  threads_start();
  fail_start();
  mode = Mode::kControlled;
  sites_start();
  io_start();
  backend->start();
  io_rearm();
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
  if (const char* library = openmp_library())
    refuse("uses OpenMP, whose threads heddle does not control yet: ", library);
  serve();
  child_start();
}

}  // namespace

void start(char** environment) {
  resolve_real();
  if (runs_for_another_user()) return;
  int fd = take_region_descriptor(environment);
  if (fd < 0) return start_log(environment);
  region = map_region(fd);
  raw_syscall(SYS_close, fd);
  if (!region) return;
  // Programs started by this program (the region's descriptor is closed now) must not find a server.
  uint32_t none = HEDDLE_SERVER_NONE;
  if (!__atomic_compare_exchange_n(&region->server_state, &none, (uint32_t)HEDDLE_SERVER_RUNNING, false,
                                   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
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
