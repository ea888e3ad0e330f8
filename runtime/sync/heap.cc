// The heap: malloc stays the program's; we note what it hands out (fresh memory for the detector, objects that die with
// it).
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>

#include "abi/hooks.h"
#include "runtime/control/recording.h"
#include "runtime/parallel/heap.h"
#include "runtime/sync/heap.h"
#include "runtime/sync/model.h"

extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_calloc(size_t, size_t);
extern "C" void* __libc_realloc(void*, size_t);
extern "C" void* __libc_memalign(size_t, size_t);
extern "C" void __libc_free(void*);

namespace heddle::rt {
namespace {

void record(uint32_t kind, const void* p, size_t bytes, uint32_t site) {
  if (!wants(HEDDLE_DETAIL_ACCESSES)) return;
  HeddleEvent e{};
  e.address = (uint64_t)p;
  e.value = bytes;
  e.site = site;
  e.thread = (uint16_t)self->index;
  e.kind = (uint8_t)kind;
  e.flags = HEDDLE_EF_VALUE;
  emit_inside(*self, e);
}

// Blocks that were freed lately: libc notices a double free late, when a thread ends for instance, with nothing of the
// program on its stack. Direct-mapped: an old block may be forgotten.
struct FreedBlock {
  uint64_t address;
  uint64_t pc_and_thread;  // return address << 16 | index
};
constexpr unsigned kFreedBits = 8;
FreedBlock freed_blocks[1u << kFreedBits];
static_assert(HEDDLE_MAX_THREADS <= 1u << 16);

FreedBlock& freed_block(const void* p) {
  return freed_blocks[((uint64_t)p >> 4) * 0x9e3779b97f4a7c15ull >> (64 - kFreedBits)];
}

void* in_use(void* p) {
  if (FreedBlock& b = freed_block(p); b.address && b.address == (uint64_t)p) b.address = 0;
  return p;
}
// Of a call that allocates or frees. It is never the site of a step, so light clones may make such calls; and light
// runs have neither the events nor the detector that would use it.
uint32_t heap_site(void* caller) { return region->run.light ? (uint32_t)HEDDLE_SITE_PC : pc_site(caller); }

void* handed_out(void* p, size_t bytes, uint32_t site) {
  if (!p) return p;
  in_use(p);
  if (detector::on) detector::allocated(*self, p, malloc_usable_size(p));  // free() will give that much back
  record(HEDDLE_EV_MALLOC, p, bytes, site);
  return p;
}

bool word_at(uint64_t address, uint64_t* value) { return io_peek((const void*)address, 8, value); }

// libc's own tests of what it is given, as far as they look at the block and its neighbour. A block that was merged
// with free memory around it says any size, and so does what never was a block: malloc_usable_size() believes it and
// follows it out of the heap.
bool is_block_of_libc(uint64_t p) {
  constexpr uint64_t kFlags = 7, kMapped = 2, kPreviousInUse = 1, kHeader = 16, kSmallest = 32, kPage = 4096;
  uint64_t before, head, next;
  if (p % 16 || !word_at(p - 8, &head)) return false;
  const uint64_t chunk = p - kHeader, size = head & ~kFlags;
  if (head & kMapped) return word_at(chunk, &before) && size && ((chunk - before) | (before + size)) % kPage == 0;
  return size >= kSmallest && size % 16 == 0 && size < 1ull << 47 && word_at(chunk + size + 8, &next) &&
         (next & kPreviousInUse);
}

// Of a block that is about to be freed; 0: it is none, or not any more. libc will say so.
size_t size_to_free(void* p) {
  if (HEDDLE_UNLIKELY(own_heap_has(p))) return own_heap_size(p);
  if (freed_block(p).address == (uint64_t)p) return 0;
  const bool of_libc = !real.free || HEDDLE_REAL(free) == __libc_free;
  return of_libc && !is_block_of_libc((uint64_t)p) ? 0 : malloc_usable_size(p);
}

void taken_back(void* p, uint32_t site) {
  size_t bytes = size_to_free(p);
  drop_objects_in(p, bytes);
  if (detector::on && bytes) detector::freed(*self, p, bytes, site);
  record(HEDDLE_EV_FREE, p, bytes, site);
}

void free_own(void* p, void* caller) {
  if (!modelled()) return;  // a thread that left control, or a child of fork(): it is lost
  discipline.take_back(p, caller);
  own_heap_free(*self, p);
}

void* reallocate_own(void* old, size_t bytes, void* caller) {
  const size_t before = own_heap_size(old);
  if (bytes && bytes <= before && (bytes >= before / 2 || before < 256)) return old;
  void* p = nullptr;
  if (bytes && !(modelled() && discipline.allocate(bytes, 16, false, caller, &p))) p = __libc_malloc(bytes);
  if (!p && bytes) return nullptr;
  if (p) __builtin_memcpy(p, old, before < bytes ? before : bytes);
  free_own(old, caller);
  return p;
}

template <class F>
void* allocate(size_t bytes, uint32_t site, F call) {
  void* p;
  {
    AllowSyscalls allow;
    p = call();
  }
  return handed_out(p, bytes, site);
}

}  // namespace

bool model_allocate(size_t bytes, size_t alignment, bool zeroed, void* caller, void** result) {
  void* p = own_heap_allocate(*self, bytes, alignment, zeroed);
  *result = p ? handed_out(p, bytes, heap_site(caller)) : nullptr;
  return true;
}

bool recorded_allocate(size_t bytes, size_t alignment, bool zeroed, void*, void** result) {
  *result = own_heap_allocate(*self, bytes, alignment, zeroed);
  return true;
}

void model_take_back(void* p, void* caller) { taken_back(p, heap_site(caller)); }

void recorded_take_back(void* p, void*) {
  const size_t bytes = own_heap_size(p);
  if (!may_hold_objects(p, bytes)) return;
  Inside inside;
  drop_objects_in(p, bytes);
}

void remember_freed(void* p, void* caller) {
  FreedBlock& b = freed_block(p);
  const FreedBlock now{(uint64_t)p, (uint64_t)caller << 16 | self->index};
  HeddleDoubleFree& twice = region->result.double_free;
  if (b.address == now.address && !twice.second_pc)
    twice = {b.pc_and_thread >> 16, (uint64_t)caller, (uint32_t)(b.pc_and_thread & 0xffff), self->index};
  b = now;
}

// A sanitizer's allocator stands before ours: it tells us through its own hooks.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, size_t),
                                                         void (*)(const volatile void*)) __attribute__((weak));
extern "C" size_t __sanitizer_get_allocated_size(const volatile void*) __attribute__((weak));
extern "C" int __sanitizer_get_ownership(const volatile void*) __attribute__((weak));

namespace {
struct {  // what the program is about to free, and where
  const volatile void* address;
  uint32_t site;
} freeing;
}  // namespace

void heap_prepare() {
  if (!__sanitizer_install_malloc_and_free_hooks) return;
  __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void* p, size_t bytes) {
        if (modelled() && detector::on) detector::allocated(*self, const_cast<const void*>(p), bytes);
      },
      [](const volatile void* p) {
        // The hook comes before the sanitizer's own checks: what it does not own (freed before, never allocated) it
        // reports next, and asking it for the size would be another error.
        if (!p || !modelled() || !__sanitizer_get_allocated_size || !__sanitizer_get_ownership ||
            !__sanitizer_get_ownership(p))
          return;
        size_t bytes = __sanitizer_get_allocated_size(p);
        drop_objects_in(p, bytes);
        uint32_t site = p == freeing.address ? freeing.site : HEDDLE_SITE_PC;
        if (detector::on) detector::freed(*self, const_cast<const void*>(p), bytes, site);
        record(HEDDLE_EV_FREE, const_cast<const void*>(p), bytes, site);
      });
}

}  // namespace heddle::rt

using namespace heddle::rt;
#define HEDDLE_HERE heap_site(__builtin_return_address(0))
#define HEDDLE_WEAK HEDDLE_EXPORT __attribute__((weak))  // a program that brings its own malloc wins

HEDDLE_EXPORT void __heddle_freeing(const volatile void* p) {
  if (modelled()) freeing = {p, HEDDLE_HERE};
}

HEDDLE_WEAK void* malloc(size_t bytes) {
  auto function = real.malloc ? HEDDLE_REAL(malloc) : __libc_malloc;
  if (!modelled()) return in_use(function(bytes));
  if (void* p; discipline.allocate(bytes, 16, false, __builtin_return_address(0), &p)) return p;
  return allocate(bytes, HEDDLE_HERE, [&] { return function(bytes); });
}
HEDDLE_WEAK void* calloc(size_t count, size_t size) {
  auto function = real.calloc ? HEDDLE_REAL(calloc) : __libc_calloc;
  if (!modelled()) return in_use(function(count, size));
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = ~(size_t)0;
  if (void* p; discipline.allocate(bytes, 16, true, __builtin_return_address(0), &p)) return p;
  return allocate(count * size, HEDDLE_HERE, [&] { return function(count, size); });
}
HEDDLE_WEAK void* realloc(void* old, size_t bytes) {
  if (HEDDLE_UNLIKELY(old && own_heap_has(old))) return reallocate_own(old, bytes, __builtin_return_address(0));
  auto function = real.realloc ? HEDDLE_REAL(realloc) : __libc_realloc;
  if (!modelled()) return in_use(function(old, bytes));
  if (void* p; !old && discipline.allocate(bytes, 16, false, __builtin_return_address(0), &p)) return p;
  uint32_t site = HEDDLE_HERE;
  if (old && bytes) taken_back(old, site);
  void* p = allocate(bytes, site, [&] { return function(old, bytes); });
  if (old && p != old && (p || !bytes)) discipline.freed(old, __builtin_return_address(0));
  return p;
}
HEDDLE_WEAK void* memalign(size_t alignment, size_t bytes) {
  auto function = real.memalign ? HEDDLE_REAL(memalign) : __libc_memalign;
  if (!modelled()) return in_use(function(alignment, bytes));
  if (void* p; discipline.allocate(bytes, alignment, false, __builtin_return_address(0), &p)) return p;
  return allocate(bytes, HEDDLE_HERE, [&] { return function(alignment, bytes); });
}
HEDDLE_WEAK void* aligned_alloc(size_t alignment, size_t bytes) {
  auto function = real.aligned_alloc ? HEDDLE_REAL(aligned_alloc) : __libc_memalign;
  if (!modelled()) return in_use(function(alignment, bytes));
  if (void* p; discipline.allocate(bytes, alignment, false, __builtin_return_address(0), &p)) return p;
  return allocate(bytes, HEDDLE_HERE, [&] { return function(alignment, bytes); });
}
HEDDLE_WEAK int posix_memalign(void** result, size_t alignment, size_t bytes) {
  if (modelled()) {
    if (alignment % sizeof(void*) || !alignment || (alignment & (alignment - 1))) return EINVAL;
    if (void* made; discipline.allocate(bytes, alignment, false, __builtin_return_address(0), &made)) {
      if (made) *result = made;
      return made ? 0 : ENOMEM;
    }
  }
  if (!real.posix_memalign) return (*result = __libc_memalign(alignment, bytes)) ? 0 : ENOMEM;
  if (!modelled()) return HEDDLE_REAL(posix_memalign)(result, alignment, bytes);
  int error = 0;
  void* p = allocate(bytes, HEDDLE_HERE, [&]() -> void* {
    void* made = nullptr;
    error = HEDDLE_REAL(posix_memalign)(&made, alignment, bytes);
    return error ? nullptr : made;
  });
  if (!error) *result = p;
  return error;
}
HEDDLE_WEAK size_t malloc_usable_size(void* p) {
  if (p && own_heap_has(p)) return own_heap_size(p);
  return HEDDLE_REAL(malloc_usable_size)(p);  // found at the start: dlsym() here would come back through free()
}

HEDDLE_WEAK void free(void* p) {
  if (HEDDLE_UNLIKELY(own_heap_has(p))) return free_own(p, __builtin_return_address(0));
  auto function = real.free ? HEDDLE_REAL(free) : __libc_free;
  if (!p || !modelled()) return function(p);
  taken_back(p, HEDDLE_HERE);
  discipline.freed(p, __builtin_return_address(0));
  AllowSyscalls allow;
  function(p);
}
