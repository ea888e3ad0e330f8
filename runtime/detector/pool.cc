#include "runtime/detector/pool.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/arena.h"

namespace heddle::rt::detector {
namespace {

constexpr unsigned kSmallest = 4, kClasses = 32;  // 16 bytes up
struct Free {
  Free* next;
};
Free* free_lists[kClasses];

unsigned class_of(size_t bytes) {
  if (bytes <= (size_t{1} << kSmallest)) return 0;
  return 64 - __builtin_clzll(bytes - 1) - kSmallest;
}

// Far below the kernel's top-down mmap area and far above the heap of a non-PIE program.
uintptr_t next_far = 0x200000000000;

}  // namespace

void* pool_allocate(size_t& bytes) {
  unsigned c = class_of(bytes);
  HEDDLE_CHECK(c < kClasses);
  bytes = size_t{1} << (c + kSmallest);
  if (Free* f = free_lists[c]) {
    free_lists[c] = f->next;
    return f;
  }
  return arena_allocate(bytes);
}

void pool_release(void* block, size_t bytes) {
  if (!block) return;
  Free* f = static_cast<Free*>(block);
  unsigned c = class_of(bytes);
  f->next = free_lists[c];
  free_lists[c] = f;
}

void* map_far(size_t bytes) {
  bytes = (bytes + 4095) & ~size_t{4095};
  count_own_mapping(bytes);
  for (int attempt = 0; attempt < 64; attempt++) {
    uintptr_t wanted = next_far;
    next_far += bytes;
    long got = raw_syscall(SYS_mmap, wanted, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got > 0) {
      // A huge page would be zeroed whole for the first cell touched in it: 100 us in a run of 400.
      raw_syscall(SYS_madvise, got, bytes, MADV_NOHUGEPAGE);
      return reinterpret_cast<void*>(got);
    }
    if (got != -17 /* EEXIST */) return nullptr;
    next_far += size_t{1} << 36;  // somebody lives here
  }
  return nullptr;
}

}  // namespace heddle::rt::detector
