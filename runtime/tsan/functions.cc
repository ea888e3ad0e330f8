// Start of a module, functions, and what the program may ask ThreadSanitizer itself.
#include "runtime/control/calls.h"
#include "runtime/control/recording.h"
#include "runtime/tsan/tsan.h"

using namespace heddle::rt;

extern "C" __attribute__((weak)) void __tsan_on_initialize();  // the program's

// First of the constructors of each object. So runs fork off before code that we see.
HEDDLE_EXPORT void __tsan_init() {
  static bool called;
  if (mode == Mode::kServer) code_sites_prepare();
  begin_run();
  if (called) return;
  called = true;
  if (__tsan_on_initialize) __tsan_on_initialize();
}

HEDDLE_EXPORT void __tsan_func_entry(void* caller) {
  if (HEDDLE_LIKELY(!self || !wants(HEDDLE_DETAIL_STACKS))) return;
  call_entered(*self, caller, __builtin_frame_address(0));
}
HEDDLE_EXPORT void __tsan_func_exit() {
  if (HEDDLE_LIKELY(!self || !wants(HEDDLE_DETAIL_STACKS))) return;
  call_left(*self, __builtin_return_address(0), __builtin_frame_address(0));
}

HEDDLE_EXPORT void __tsan_flush_memory() {}
HEDDLE_EXPORT void __tsan_check_no_mutexes_held() {}

// Reports are made on the host, after the run: inside the program there is never one to ask about.
HEDDLE_EXPORT void* __tsan_get_current_report() { return nullptr; }
HEDDLE_EXPORT int __tsan_get_report_data(void*, const char**, int*, int*, int*, int*, int*, int*, int*, void**,
                                         unsigned long) {
  return 0;
}
HEDDLE_EXPORT int __tsan_get_report_tag(void*, unsigned long*) { return 0; }
HEDDLE_EXPORT int __tsan_get_report_stack(void*, unsigned long, void**, unsigned long) { return 0; }
HEDDLE_EXPORT int __tsan_get_report_mop(void*, unsigned long, int*, void**, int*, int*, int*, void**, unsigned long) {
  return 0;
}
HEDDLE_EXPORT int __tsan_get_report_loc(void*, unsigned long, const char**, void**, void**, unsigned long*, int*, int*,
                                        int*, void**, unsigned long) {
  return 0;
}
HEDDLE_EXPORT int __tsan_get_report_loc_object_type(void*, unsigned long, const char**) { return 0; }
HEDDLE_EXPORT int __tsan_get_report_mutex(void*, unsigned long, unsigned long*, void**, int*, void**, unsigned long) {
  return 0;
}
HEDDLE_EXPORT int __tsan_get_report_thread(void*, unsigned long, int*, unsigned long*, int*, const char**, int*, void**,
                                           unsigned long) {
  return 0;
}
HEDDLE_EXPORT int __tsan_get_report_unique_tid(void*, unsigned long, int*) { return 0; }
HEDDLE_EXPORT const char* __tsan_locate_address(void*, char* name, unsigned long size, void**, unsigned long*) {
  if (size) *name = 0;
  return "";
}
HEDDLE_EXPORT int __tsan_get_alloc_stack(void*, void**, unsigned long, int*, unsigned long*) { return 0; }

// What a program may define; ThreadSanitizer's library has empty ones.
HEDDLE_WEAK_EXPORT const char* __tsan_default_options() { return ""; }
HEDDLE_WEAK_EXPORT const char* __tsan_default_suppressions() { return ""; }
HEDDLE_WEAK_EXPORT void __tsan_on_report(void*) {}
HEDDLE_WEAK_EXPORT bool __tsan_symbolize_external(void*, char*, unsigned long, char*, unsigned long, int*, int*) {
  return false;
}
HEDDLE_WEAK_EXPORT void __tsan_symbolize_external_ex(void*, void (*)(void*, const char*, const char*, int, int),
                                                     void*) {}
