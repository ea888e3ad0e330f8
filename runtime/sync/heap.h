// malloc() and its like, as the table of the run's discipline has them (control/discipline.h).
#pragma once
#include <stddef.h>

namespace heddle::rt {

/// From the heap of recordings (parallel/heap.h).
bool model_allocate(size_t bytes, size_t alignment, bool zeroed, void* caller, void** result);
/// The same without the baton.
bool recorded_allocate(size_t bytes, size_t alignment, bool zeroed, void* caller, void** result);
void model_take_back(void* p, void* caller);
void recorded_take_back(void* p, void* caller);
/// For reports of a second free(). With the baton: blocks are freed without it in a recording.
void remember_freed(void* p, void* caller);

}  // namespace heddle::rt
