// Memory of the runtime: bump allocation from private mappings far from the program's heap, never freed during a run.
#pragma once
#include "runtime/rt.h"

namespace heddle::rt {

void* arena_allocate(size_t bytes);  // zeroed, 16-aligned
template <class T>
T* arena_new(size_t count = 1) {
  return static_cast<T*>(arena_allocate(sizeof(T) * count));
}

}  // namespace heddle::rt
