#include "runtime/sync/next.h"

#include <dlfcn.h>

// The linker's names of the section's ends.
extern "C" __attribute__((visibility("hidden"))) heddle::rt::NextFunction __start_heddle_next[], __stop_heddle_next[];

namespace heddle::rt {

void look_up(NextFunction& function) { function.address = dlsym(RTLD_NEXT, function.name); }

void look_up_all() {
  for (NextFunction* f = __start_heddle_next; f < __stop_heddle_next; f++)
    if (!f->address) look_up(*f);
  dlerror();  // what a program has no library for was not found
}

}  // namespace heddle::rt
