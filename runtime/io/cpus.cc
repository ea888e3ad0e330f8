// How many CPUs there are is an input that decides about thread counts: the program is told run.virtual_cpus.
#include <dlfcn.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "runtime/io/call.h"

using namespace heddle::rt;

namespace {
decltype(&sysconf) real_sysconf;
decltype(&get_nprocs) real_get_nprocs, real_get_nprocs_conf;
decltype(&sched_getcpu) real_sched_getcpu;

template <class F>
F real(const char* name, F& cache) {
  if (HEDDLE_UNLIKELY(!cache)) cache = reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
  return cache;
}
int cpus() { return region->run.virtual_cpus ? (int)region->run.virtual_cpus : 2; }
}  // namespace

HEDDLE_EXPORT int get_nprocs() noexcept { return controlled() ? cpus() : real("get_nprocs", real_get_nprocs)(); }
HEDDLE_EXPORT int get_nprocs_conf() noexcept {
  return controlled() ? cpus() : real("get_nprocs_conf", real_get_nprocs_conf)();
}
HEDDLE_EXPORT long sysconf(int name) noexcept {
  if (controlled() && (name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN)) return cpus();
  return real("sysconf", real_sysconf)(name);
}
HEDDLE_EXPORT int sched_getcpu() noexcept { return controlled() ? 0 : real("sched_getcpu", real_sched_getcpu)(); }
