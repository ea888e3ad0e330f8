// The heap of recordings and their replays. malloc's addresses are part of what a program sees (containers keyed by
// pointers), so they must not depend on which thread was faster: each thread serves itself from blocks of its own, and
// what is common to all is a step of the log (`heap`). A block belongs to the thread that frees it.
#pragma once
#include <stddef.h>

#include "runtime/control/thread.h"

namespace heddle::rt {

/// The address came from here. False for what libc handed out before the run began.
bool own_heap_has(const void* p);
void* own_heap_allocate(Thread& t, size_t bytes, size_t alignment, bool zeroed);
void own_heap_free(Thread& t, void* p);
size_t own_heap_size(const void* p);
/// The thread ends: what it kept goes to all.
void own_heap_retire(Thread& t);

}  // namespace heddle::rt
