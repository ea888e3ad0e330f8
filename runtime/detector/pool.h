// Blocks of the arena that can be given back: free lists by power of two. Contents are NOT zeroed on reuse.
#pragma once
#include "runtime/rt.h"

namespace heddle::rt::detector {

/// `bytes` is rounded up to a power of two of at least 16, and tells the caller what it got.
void* pool_allocate(size_t& bytes);
/// `bytes` as pool_allocate() gave it. Null is allowed.
void pool_release(void* block, size_t bytes);

/// Zeroed memory at addresses where no program maps anything, so that the program's own mappings are the same with and
/// without the detector. Null when the kernel has none. For large, sparsely used tables.
void* map_far(size_t bytes);

}  // namespace heddle::rt::detector
