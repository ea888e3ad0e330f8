#include "runtime/sync/real.h"

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

void resolve_real() {
#define X(name) real.name = find(#name);
#include "runtime/sync/real.def"
#undef X
}

}  // namespace heddle::rt
