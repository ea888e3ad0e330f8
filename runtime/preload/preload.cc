// The runtime as a library of its own (libheddle_preload.so), for executables that do not carry it: any dynamically
// linked program, whoever compiled it. The dynamic linker loads it first (LD_PRELOAD) and starts it first (-z
// initfirst).
//
//   ld.so -> start_first() ... constructors of libraries (once, in the server) ... __libc_start_main() -> runs fork off
//            -> constructors of the executable, main: under control
#include <dlfcn.h>
#include <stdlib.h>

#include "abi/hooks.h"
#include "runtime/control/recording.h"
#include "runtime/preload/exec.h"
#include "runtime/preload/executable.h"
#include "runtime/preload/unwind.h"
#include "runtime/start/start.h"

namespace heddle::rt {
namespace {

const char* value_of(char** environment, const char* name) {
  for (char** e = environment; *e; e++) {
    const char *p = *e, *q = name;
    while (*q && *p == *q) p++, q++;
    if (!*q && *p == '=') return p + 1;
  }
  return nullptr;
}

// Behind a wrapper script everything that it starts loads us; the first program that was built by heddle cc, or that
// can make threads, is the one that is meant.
bool is_meant(char** environment) {
  // In the order of the program's own scope: RTLD_DEFAULT begins with us, who are linked with -Bsymbolic.
  void* program = dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD);
  if (dlsym(program, "__heddle_register_module") != (void*)&__heddle_register_module) return false;  // carries its own
  const char* interpreter = value_of(environment, HEDDLE_FOLLOW_ENV);
  return !interpreter || (!runs_executable(interpreter) && can_make_threads());
}

__attribute__((constructor)) void start_first(int, char**, char** environment) {
  resolve_exec();
  if (runs_for_another_user()) return;
  const char* number = value_of(environment, HEDDLE_REGION_ENV);
  if (!number) return;
  if (!is_meant(environment)) {
    if (value_of(environment, HEDDLE_FOLLOW_ENV)) launcher_region = atoi(number);
    return;
  }
  walk_tables = walk_unwind_tables;
  preloaded = true;
  start(environment);
  if (!region) return;
  uint64_t
      frame;  // once, here: what it initialises at its first use must not differ between runs with and without stacks
  walk_unwind_tables(&frame, 1, nullptr);
}

}  // namespace
}  // namespace heddle::rt

using Main = int(int, char**, char**);
using StartMain = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);

// Called by the executable's first instructions, when all libraries are ready. A tail call: no frame of ours stays.
HEDDLE_EXPORT int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(),
                                    void (*rtld_fini)(), void* stack_end) {
  heddle::rt::begin_run();
  auto* real = reinterpret_cast<StartMain*>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return real(main, argc, argv, init, fini, rtld_fini, stack_end);
}
