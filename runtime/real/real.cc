#include "runtime/real/real.h"

#include <dlfcn.h>

namespace heddle::rt {

Real real;

namespace {

void* find(const char* name) {
  // Old versions of the condition variable functions still live under the plain name's first match.
  const char* p = "pthread_cond_";
  const char* q = name;
  while (*p && *p == *q) p++, q++;
  if (!*p)
    if (void* f = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2")) return f;
  return dlsym(RTLD_NEXT, name);
}

}  // namespace

// A sanitizer must see its threads: its own interposer, where there is one, is the next in line.
extern "C" int __interceptor_pthread_create(...) __attribute__((weak));

void resolve_real() {
  static bool resolving;
  if (resolving) return;
  resolving = true;
#define X(name) real.name = find(#name);
#include "runtime/real/real.def"
#undef X
  if (__interceptor_pthread_create) real.pthread_create = reinterpret_cast<void*>(&__interceptor_pthread_create);
  resolving = false;
}

}  // namespace heddle::rt
