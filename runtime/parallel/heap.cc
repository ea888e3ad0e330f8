// Size classes with a list of free blocks per thread and class; chunks of a class come from a common list or from fresh
// memory.
//
//   header (16 bytes) | user's bytes ...        header.start: distance to the block's first byte (more with large
//   alignments)
//
// Rules of this file: lists of a thread are touched by that thread only; `common` is touched inside a `heap` step only.
#include "runtime/parallel/heap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/arena.h"
#include "runtime/parallel/parallel.h"

namespace heddle::rt {
namespace {

constexpr uint64_t kBase = 0x300000000000ull, kEnd = 0x500000000000ull;
constexpr size_t kHeader = 16;
constexpr size_t kBatch = 64 * 1024;       // bytes that a thread takes from the common memory at once
constexpr size_t kMostKept = 512 * 1024;   // of a class, by one thread
constexpr size_t kLargest = 256 * 1024;    // above: a mapping of its own
constexpr size_t kMapStep = 4 << 20;
constexpr uint32_t kMagic = 0x48656150;
constexpr int kClasses = 64;

struct Header {
  uint32_t magic;
  uint32_t cls;     // kClasses: large
  uint64_t start;   // bytes from the block's start to the user's
};
struct Block {  // free
  Block* next;
};
struct List {
  Block* first;
  size_t bytes;
};
struct Batch {  // in the first bytes of its first block
  Block* next;
  Batch* next_batch;
  size_t bytes;
};
struct Large {  // free, in its first bytes
  Large* next;
  size_t bytes;
};

struct {
  uint64_t cursor = kBase, mapped = kBase;
  Batch* batches[kClasses];
  Large* large;
} common;

// 32, 48, ... 256, then four classes per doubling, up to kLargest. Sizes are of whole blocks, header included.
int class_of(size_t bytes) {
  if (bytes <= 256) return bytes <= 32 ? 0 : (int)((bytes + 15) / 16) - 2;
  int log = 63 - __builtin_clzll(bytes - 1);  // 2^log < bytes <= 2^(log + 1)
  size_t quarter = (size_t)1 << (log - 2);
  return 15 + (log - 8) * 4 + (int)((bytes - ((size_t)1 << log) + quarter - 1) / quarter) - 1;
}

size_t size_of_class(int cls) {
  if (cls < 15) return (size_t)(cls + 2) * 16;
  int log = 8 + (cls - 15) / 4;
  return ((size_t)1 << log) + ((size_t)1 << (log - 2)) * (size_t)((cls - 15) % 4 + 1);
}

struct Cache {
  List lists[kClasses];
};

Cache& cache_of(Thread& t) {
  if (HEDDLE_UNLIKELY(!t.recording.heap)) {
    Inside inside;
    t.recording.heap = arena_allocate_cold(sizeof(Cache));
  }
  return *static_cast<Cache*>(t.recording.heap);
}

// The common memory belongs to whoever takes this step.
class HeapStep {
 public:
  explicit HeapStep(Thread& t) : without_(t) { point(Op{HEDDLE_EV_HEAP, 0, 0, 0}); }

 private:
  Inside inside_;
  WithoutSignals without_;
};

char* fresh(size_t bytes) {
  if (common.cursor + bytes > common.mapped) {
    size_t grow = (common.cursor + bytes - common.mapped + kMapStep - 1) / kMapStep * kMapStep;
    if (common.mapped + grow > kEnd) return nullptr;
    long p = raw_syscall(SYS_mmap, common.mapped, grow, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p != (long)common.mapped) return nullptr;
    common.mapped += grow;
  }
  char* p = (char*)common.cursor;
  common.cursor += bytes;
  return p;
}

bool refill(Thread& t, List& list, int cls) {
  HeapStep step(t);
  if (Batch* b = common.batches[cls]) {
    common.batches[cls] = b->next_batch;
    list.first = (Block*)b;
    list.bytes = b->bytes;
    return true;
  }
  const size_t size = size_of_class(cls);
  size_t count = kBatch / size ? kBatch / size : 1;
  char* p = fresh(count * size);
  if (!p) return false;
  for (size_t i = count; i-- > 0;) {
    Block* b = (Block*)(p + i * size);
    b->next = list.first;
    list.first = b;
  }
  list.bytes = count * size;
  return true;
}

void put_in_common(List& list, int cls) {
  Batch* b = (Batch*)list.first;
  b->next_batch = common.batches[cls];
  b->bytes = list.bytes;
  common.batches[cls] = b;
  list = {};
}

// All of a list that grew too long: another thread may need it.
void give_away(Thread& t, List& list, int cls) {
  HeapStep step(t);
  put_in_common(list, cls);
}

constexpr size_t page_up(size_t n) { return (n + 4095) & ~(size_t)4095; }

char* large_block(Thread& t, size_t bytes) {
  HeapStep step(t);
  for (Large** p = &common.large; *p; p = &(*p)->next)
    if ((*p)->bytes == bytes) {
      char* found = (char*)*p;
      *p = (*p)->next;
      return found;
    }
  common.cursor = page_up(common.cursor);
  return fresh(bytes);
}

// Its pages go back to the kernel but for the first, which is in the list.
void free_large(Thread& t, char* start, size_t bytes) {
  HeapStep step(t);
  raw_syscall(SYS_madvise, start + 4096, bytes - 4096, MADV_DONTNEED);
  Large* l = (Large*)start;
  l->next = common.large;
  l->bytes = bytes;
  common.large = l;
}

Header& header_of(const void* p) { return *(Header*)((char*)p - kHeader); }

}  // namespace

bool own_heap_has(const void* p) { return (uint64_t)p >= kBase && (uint64_t)p < kEnd; }

size_t own_heap_size(const void* p) {
  const Header& h = header_of(p);
  if (h.magic != kMagic) return 0;
  if (h.cls < kClasses) return size_of_class((int)h.cls) - h.start;
  return ((size_t*)((char*)p - h.start))[0] - h.start;
}

void* own_heap_allocate(Thread& t, size_t bytes, size_t alignment, bool zeroed) {
  const size_t slack = alignment > 16 ? alignment : 0;
  if (bytes > (1ull << 44)) {
    errno = ENOMEM;
    return nullptr;
  }
  const size_t whole = bytes + kHeader + slack;
  char* start;
  uint32_t cls = kClasses;
  size_t prefix = kHeader;
  if (whole <= kLargest) {
    cls = (uint32_t)class_of(whole);
    List& list = cache_of(t).lists[cls];
    if (HEDDLE_UNLIKELY(!list.first) && !refill(t, list, (int)cls)) {
      errno = ENOMEM;
      return nullptr;
    }
    start = (char*)list.first;
    list.first = list.first->next;
    list.bytes -= size_of_class((int)cls);
  } else {
    prefix = 2 * kHeader;  // its size comes first
    size_t total = page_up(whole + kHeader);
    start = large_block(t, total);
    if (!start) {
      errno = ENOMEM;
      return nullptr;
    }
    *(size_t*)start = total;
  }
  uint64_t user = (uint64_t)start + prefix;
  if (slack) user = (user + alignment - 1) & ~(uint64_t)(alignment - 1);
  header_of((void*)user) = {kMagic, cls, user - (uint64_t)start};
  if (zeroed) __builtin_memset((void*)user, 0, bytes);
  return (void*)user;
}

void own_heap_free(Thread& t, void* p) {
  Header& h = header_of(p);
  if (HEDDLE_UNLIKELY(h.magic != kMagic)) abort();  // freed twice, or not from malloc: as libc does
  h.magic = 0;
  char* start = (char*)p - h.start;
  if (h.cls >= kClasses) return free_large(t, start, *(size_t*)start);
  const int cls = (int)h.cls;
  List& list = cache_of(t).lists[cls];
  ((Block*)start)->next = list.first;
  list.first = (Block*)start;
  list.bytes += size_of_class(cls);
  if (HEDDLE_UNLIKELY(list.bytes > kMostKept)) give_away(t, list, cls);
}

void own_heap_retire(Thread& t) {
  if (!t.recording.heap) return;
  for (int cls = 0; cls < kClasses; cls++)
    if (List& list = cache_of(t).lists[cls]; list.first) put_in_common(list, cls);
  t.recording.heap = nullptr;
}

}  // namespace heddle::rt
