#include "runtime/real/next.h"

#include <dlfcn.h>
#include <link.h>

#include "runtime/real/real.h"

// The linker's names of the section's ends.
extern "C" __attribute__((visibility("hidden"))) heddle::rt::NextFunction __start_heddle_next[], __stop_heddle_next[];

namespace heddle::rt {

namespace {

// A library that was loaded later, for itself and what it needs: a plug-in in C++ of a program in C brings libstdc++.
void* in_late_library(const char* name) {
  for (const link_map* module = _r_debug.r_map; module; module = module->l_next) {
    if (!module->l_name[0] || __builtin_strstr(module->l_name, "libheddle_preload")) continue;
    void* handle = HEDDLE_REAL(dlopen)(module->l_name, RTLD_LAZY | RTLD_NOLOAD);  // stays: who calls this needs it
    if (void* found = handle ? dlsym(handle, name) : nullptr) return found;
  }
  return nullptr;
}

}  // namespace

void look_up(NextFunction& function) {
  function.address = dlsym(RTLD_NEXT, function.name);
  if (!function.address) function.address = in_late_library(function.name);
}

void look_up_all() {
  for (NextFunction* f = __start_heddle_next; f < __stop_heddle_next; f++)
    if (!f->address) f->address = dlsym(RTLD_NEXT, f->name);
  dlerror();  // what a program has no library for was not found
}

}  // namespace heddle::rt
