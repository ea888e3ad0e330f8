#include "runtime/sync/openmp.h"

#include <dlfcn.h>
#include <link.h>

#include "runtime/rt.h"

namespace heddle::rt {
namespace {

bool is_openmp(const char* path) {
  const char* name = path;
  for (const char* c = path; *c; c++)
    if (*c == '/') name = c + 1;
  static constexpr const char* kNames[] = {"libgomp.so", "libomp.so", "libomp5.so", "libiomp5.so"};
  for (const char* known : kNames) {
    const char *p = name, *q = known;
    while (*q && *p == *q) p++, q++;
    if (!*q) return true;
  }
  return false;
}

}  // namespace

const char* openmp_library() {
  for (const link_map* module = _r_debug.r_map; module; module = module->l_next)
    if (is_openmp(module->l_name)) return module->l_name;
  return nullptr;
}

// Loaded later, by dlopen: too late to refuse the program.
void note_openmp_thread(const void* entry) {
  dl_find_object found;
  if (_dl_find_object(const_cast<void*>(entry), &found) != 0 || !is_openmp(found.dlfo_link_map->l_name)) return;
  note(
      "OpenMP (%s) makes threads: they spin on memory where heddle cannot see it, so runs may hang; do without "
      "-fopenmp",
      found.dlfo_link_map->l_name);
}

}  // namespace heddle::rt
