// Yielding, and what the program is told about processors: it is pinned to one CPU under control but must not notice.
#include <sched.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <threads.h>
#include <unistd.h>

#include "runtime/sync/model.h"

using namespace heddle::rt;

HEDDLE_EXPORT int sched_yield() {
  {
    const Modelled on;
    if (!on) return HEDDLE_REAL(sched_yield)();
    point_yielding(HEDDLE_CALL_OP(YIELD, 0, 0));
  }
  discipline.yielded();
  return 0;
}
HEDDLE_EXPORT void thrd_yield() {
  {
    const Modelled on;
    if (!on) return HEDDLE_REAL(thrd_yield)();
    point_yielding(HEDDLE_CALL_OP(YIELD, 0, 0));
  }
  discipline.yielded();
}
HEDDLE_EXPORT int get_nprocs() {
  const Modelled on;
  if (!on) return HEDDLE_REAL(get_nprocs)();
  return (int)region->run.virtual_cpus;
}
HEDDLE_EXPORT int get_nprocs_conf() {
  const Modelled on;
  if (!on) return HEDDLE_REAL(get_nprocs_conf)();
  return (int)region->run.virtual_cpus;
}
HEDDLE_EXPORT long sysconf(int name) {
  if (modelled() && (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF)) return region->run.virtual_cpus;
  return HEDDLE_REAL(sysconf)(name);
}

namespace {
int virtual_affinity(size_t size, cpu_set_t* set) {
  __builtin_memset(set, 0, size);
  for (uint32_t i = 0; i < region->run.virtual_cpus && i / 8 < size; i++)
    ((unsigned char*)set)[i / 8] |= (unsigned char)(1u << (i % 8));
  return 0;
}
}  // namespace

HEDDLE_EXPORT int sched_getaffinity(pid_t pid, size_t size, cpu_set_t* set) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(sched_getaffinity)(pid, size, set);
  return virtual_affinity(size, set);
}
HEDDLE_EXPORT int pthread_getaffinity_np(pthread_t t, size_t size, cpu_set_t* set) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_getaffinity_np)(t, size, set);
  return virtual_affinity(size, set);
}
