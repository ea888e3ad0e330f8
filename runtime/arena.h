// Memory of the runtime: bump allocation from private mappings far from the program's heap, never freed during a run.
#pragma once
#include "runtime/rt.h"

namespace heddle::rt {

void* arena_allocate(size_t bytes);  // zeroed, 16-aligned
/// The same, for what is seldom touched: it must not spread what every run needs over more pages.
void* arena_allocate_cold(size_t bytes);
void arena_prepare();  // fork server, once: makes the mappings that every run needs
template <class T>
T* arena_new(size_t count = 1) {
  constexpr size_t kExtra = alignof(T) > 16 ? alignof(T) - 16 : 0;
  const uint64_t at = (uint64_t)arena_allocate(sizeof(T) * count + kExtra);
  return reinterpret_cast<T*>((at + kExtra) & ~(uint64_t)(alignof(T) - 1));
}

}  // namespace heddle::rt
