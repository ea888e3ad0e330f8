// Plain accesses. Each hook ends in a tail call of ours, so that the stack of the access is the program's.
#include <string.h>

#include "runtime/tsan/tsan.h"

using namespace heddle::rt;

#define HEDDLE_TSAN_ACCESS(name, KIND, flags, size, forward)                              \
  HEDDLE_EXPORT void __tsan_##name(void* p) {                                             \
    if (HEDDLE_LIKELY(!self)) return;                                                     \
    return forward(p, HEDDLE_CODE_SITE(KIND, size, flags));                               \
  }
// The address of the access is told: the hook's own says less.
#define HEDDLE_TSAN_ACCESS_PC(name, KIND, size, forward)                                  \
  HEDDLE_EXPORT void __tsan_##name##_pc(void* p, void* pc) {                              \
    if (HEDDLE_LIKELY(!self)) return;                                                     \
    return forward(p, code_site(pc, HEDDLE_EV_##KIND, size));                             \
  }
#define HEDDLE_TSAN_BOTH(prefix, flags, size)                                             \
  HEDDLE_TSAN_ACCESS(prefix##read##size, READ, flags, size, __heddle_read##size)          \
  HEDDLE_TSAN_ACCESS(prefix##write##size, WRITE, flags, size, __heddle_write##size)
// "x += 1" as one hook: clang's -tsan-compound-read-before-write.
#define HEDDLE_TSAN_COMPOUND(prefix, size)                                                \
  HEDDLE_EXPORT void __tsan_##prefix##read_write##size(void* p) {                         \
    if (HEDDLE_LIKELY(!self)) return;                                                     \
    __heddle_read##size(p, HEDDLE_CODE_SITE(READ, size, 0));                              \
    return __heddle_write##size(p, HEDDLE_CODE_SITE(WRITE, size, 0));                     \
  }

#define HEDDLE_TSAN_SIZE(size)                                                            \
  HEDDLE_TSAN_BOTH(, 0, size)                                                             \
  HEDDLE_TSAN_BOTH(volatile_, HEDDLE_SITE_VOLATILE, size)                                 \
  HEDDLE_TSAN_ACCESS_PC(read##size, READ, size, __heddle_read##size)                      \
  HEDDLE_TSAN_ACCESS_PC(write##size, WRITE, size, __heddle_write##size)                   \
  HEDDLE_TSAN_COMPOUND(, size)
#define HEDDLE_TSAN_UNALIGNED(size)                                                       \
  HEDDLE_TSAN_BOTH(unaligned_, 0, size)                                                   \
  HEDDLE_TSAN_BOTH(unaligned_volatile_, HEDDLE_SITE_VOLATILE, size)                       \
  HEDDLE_TSAN_COMPOUND(unaligned_, size)

HEDDLE_TSAN_SIZE(1)
HEDDLE_TSAN_SIZE(2)
HEDDLE_TSAN_SIZE(4)
HEDDLE_TSAN_SIZE(8)
HEDDLE_TSAN_SIZE(16)
HEDDLE_TSAN_UNALIGNED(2)
HEDDLE_TSAN_UNALIGNED(4)
HEDDLE_TSAN_UNALIGNED(8)
HEDDLE_TSAN_UNALIGNED(16)

HEDDLE_EXPORT void __tsan_vptr_read(void** p) {
  if (HEDDLE_LIKELY(!self)) return;
  return __heddle_read8(p, HEDDLE_CODE_SITE(READ, 8, HEDDLE_SITE_VPTR));
}
// Destructors write the pointer that is there already: no change, so no race.
HEDDLE_EXPORT void __tsan_vptr_update(void** p, void* value) {
  if (HEDDLE_LIKELY(!self) || *p == value) return;
  return __heddle_write8(p, HEDDLE_CODE_SITE(WRITE, 8, HEDDLE_SITE_VPTR));
}

HEDDLE_EXPORT void __tsan_read_range(void* p, unsigned long n) {
  if (HEDDLE_LIKELY(!self)) return;
  return __heddle_read_range(p, n, HEDDLE_CODE_SITE(READ_RANGE, 0, 0));
}
HEDDLE_EXPORT void __tsan_write_range(void* p, unsigned long n) {
  if (HEDDLE_LIKELY(!self)) return;
  return __heddle_write_range(p, n, HEDDLE_CODE_SITE(WRITE_RANGE, 0, 0));
}
HEDDLE_EXPORT void __tsan_read_range_pc(void* p, unsigned long n, void* pc) {
  if (HEDDLE_LIKELY(!self)) return;
  return __heddle_read_range(p, n, code_site(pc, HEDDLE_EV_READ_RANGE, 0));
}
HEDDLE_EXPORT void __tsan_write_range_pc(void* p, unsigned long n, void* pc) {
  if (HEDDLE_LIKELY(!self)) return;
  return __heddle_write_range(p, n, code_site(pc, HEDDLE_EV_WRITE_RANGE, 0));
}

// clang calls these instead of the functions of libc. All of the source, then all of the destination; then the call,
// with nobody else between. The names of libc itself, or a compiler would make this function out of its own loop.
HEDDLE_EXPORT void* __tsan_memcpy(void* to, const void* from, size_t n) {
  if (HEDDLE_UNLIKELY(self != nullptr)) {
    __heddle_read_range(from, n, HEDDLE_CODE_SITE(READ_RANGE, 0, 0));
    __heddle_write_range(to, n, HEDDLE_CODE_SITE(WRITE_RANGE, 0, 0));
  }
  return memcpy(to, from, n);
}
HEDDLE_EXPORT void* __tsan_memmove(void* to, const void* from, size_t n) {
  if (HEDDLE_UNLIKELY(self != nullptr)) {
    __heddle_read_range(from, n, HEDDLE_CODE_SITE(READ_RANGE, 0, 0));
    __heddle_write_range(to, n, HEDDLE_CODE_SITE(WRITE_RANGE, 0, 0));
  }
  return memmove(to, from, n);
}
HEDDLE_EXPORT void* __tsan_memset(void* to, int value, size_t n) {
  if (HEDDLE_UNLIKELY(self != nullptr)) __heddle_write_range(to, n, HEDDLE_CODE_SITE(WRITE_RANGE, 0, 0));
  return memset(to, value, n);
}

// Objects of a library that is not instrumented itself, as seen by its callers.
HEDDLE_EXPORT void __tsan_external_read(void* p, void* caller, void*) {
  if (HEDDLE_LIKELY(!self)) return;
  return __heddle_read1(p, code_site(caller, HEDDLE_EV_READ, 1));
}
HEDDLE_EXPORT void __tsan_external_write(void* p, void* caller, void*) {
  if (HEDDLE_LIKELY(!self)) return;
  return __heddle_write1(p, code_site(caller, HEDDLE_EV_WRITE, 1));
}
// Names for reports of ThreadSanitizer's own.
HEDDLE_EXPORT void* __tsan_external_register_tag(const char* type) { return const_cast<char*>(type); }
HEDDLE_EXPORT void __tsan_external_register_header(void*, const char*) {}
HEDDLE_EXPORT void __tsan_external_assign_tag(void*, void*) {}
