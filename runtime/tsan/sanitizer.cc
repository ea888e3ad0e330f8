// Of the interface that all sanitizers share: what code may refer to. Weak, so that a real sanitizer beside us wins.
// The allocator's part is not here: heap.cc takes it for the sign of a sanitizer's allocator.
#include <string.h>

#include "runtime/control/fail.h"
#include "runtime/tsan/tsan.h"

template <class T>
static T unaligned(const void* p) {
  T value;
  memcpy(&value, p, sizeof value);
  return value;
}
HEDDLE_WEAK_EXPORT uint16_t __sanitizer_unaligned_load16(const void* p) { return unaligned<uint16_t>(p); }
HEDDLE_WEAK_EXPORT uint32_t __sanitizer_unaligned_load32(const void* p) { return unaligned<uint32_t>(p); }
HEDDLE_WEAK_EXPORT uint64_t __sanitizer_unaligned_load64(const void* p) { return unaligned<uint64_t>(p); }
HEDDLE_WEAK_EXPORT void __sanitizer_unaligned_store16(void* p, uint16_t v) { memcpy(p, &v, sizeof v); }
HEDDLE_WEAK_EXPORT void __sanitizer_unaligned_store32(void* p, uint32_t v) { memcpy(p, &v, sizeof v); }
HEDDLE_WEAK_EXPORT void __sanitizer_unaligned_store64(void* p, uint64_t v) { memcpy(p, &v, sizeof v); }

// Nothing of ours prints into the program's output.
HEDDLE_WEAK_EXPORT void __sanitizer_print_stack_trace() {}
HEDDLE_WEAK_EXPORT void __sanitizer_set_report_path(const char*) {}
HEDDLE_WEAK_EXPORT void __sanitizer_set_report_fd(void*) {}
HEDDLE_WEAK_EXPORT const char* __sanitizer_get_report_path() { return ""; }
HEDDLE_WEAK_EXPORT void __sanitizer_report_error_summary(const char*) {}
HEDDLE_WEAK_EXPORT void __sanitizer_sandbox_on_notify(void*) {}
HEDDLE_WEAK_EXPORT int __sanitizer_acquire_crash_state() { return 1; }
HEDDLE_WEAK_EXPORT void __sanitizer_symbolize_pc(void*, const char*, char* out, size_t size) {
  if (size) *out = 0;
}
HEDDLE_WEAK_EXPORT void __sanitizer_symbolize_global(void*, const char*, char* out, size_t size) {
  if (size) *out = 0;
}
HEDDLE_WEAK_EXPORT int __sanitizer_get_module_and_offset_for_pc(void*, char*, size_t, void**) { return 0; }

// We die as the program does: nobody calls it.
extern "C" __attribute__((visibility("hidden"))) void heddle_no_death_callback(void (*)()) {}
extern "C" __attribute__((visibility("default"), weak, alias("heddle_no_death_callback"))) void
__sanitizer_set_death_callback(void (*)());
