// __tsan_mutex_*, __tsan_acquire, __tsan_release; the same for the managed heap of a Java machine. Between "pre" and
// "post" lies the lock's own code: not checked, and ordering nothing, since the annotation says what is ordered.
#include "runtime/detector/detector.h"
#include "runtime/sync/model.h"
#include "runtime/tsan/tsan.h"

using namespace heddle::rt;
using namespace heddle::rt::tsan;

namespace {
enum : unsigned {
  kStatic = 1,
  kReadLock = 1 << 3,
  kTryFailed = 1 << 5,
  kRecursiveLock = 1 << 6,
  kRecursiveUnlock = 1 << 7
};
}

HEDDLE_EXPORT void __tsan_acquire(void* p) { happens_after(p); }
HEDDLE_EXPORT void __tsan_release(void* p) { happens_before(p); }

HEDDLE_EXPORT void __tsan_mutex_create(void* lock, unsigned) { lock_destroyed(lock); }
HEDDLE_EXPORT void __tsan_mutex_destroy(void* lock, unsigned flags) {
  if (!(flags & kStatic)) lock_destroyed(lock);
}
HEDDLE_EXPORT void __tsan_mutex_pre_lock(void*, unsigned) { ignore_begin(); }
HEDDLE_EXPORT void __tsan_mutex_post_lock(void* lock, unsigned flags, int levels) {
  ignore_end();
  if (!(flags & kTryFailed))
    lock_acquired(lock, !(flags & kReadLock), flags & kRecursiveLock && levels > 0 ? (uint32_t)levels : 1);
}
HEDDLE_EXPORT int __tsan_mutex_pre_unlock(void* lock, unsigned flags) {
  uint32_t levels = lock_released(lock, !(flags & kReadLock), flags & kRecursiveUnlock);
  ignore_begin();
  return flags & kRecursiveUnlock ? (int)levels : 0;
}
HEDDLE_EXPORT void __tsan_mutex_post_unlock(void*, unsigned) { ignore_end(); }
HEDDLE_EXPORT void __tsan_mutex_pre_signal(void*, unsigned) { ignore_begin(); }
HEDDLE_EXPORT void __tsan_mutex_post_signal(void*, unsigned) { ignore_end(); }
HEDDLE_EXPORT void __tsan_mutex_pre_divert(void*, unsigned) { ignore_end(); }
HEDDLE_EXPORT void __tsan_mutex_post_divert(void*, unsigned) { ignore_begin(); }

HEDDLE_EXPORT void __tsan_java_init(unsigned long, unsigned long) {}
HEDDLE_EXPORT int __tsan_java_fini() { return 0; }
HEDDLE_EXPORT void __tsan_java_alloc(unsigned long p, unsigned long n) {
  if (modelled()) detector::allocated(*self, (void*)p, n);
}
HEDDLE_EXPORT void __tsan_java_free(unsigned long p, unsigned long n) {
  if (!modelled()) return;
  drop_objects_in((void*)p, n);
  detector::freed(*self, (void*)p, n, pc_site(__builtin_return_address(0)));
}
// The world is stopped while objects are moved.
HEDDLE_EXPORT void __tsan_java_move(unsigned long from, unsigned long to, unsigned long n) {
  if (!modelled()) return;
  detector::allocated(*self, (void*)from, n);
  detector::allocated(*self, (void*)to, n);
}
HEDDLE_EXPORT unsigned long __tsan_java_find(unsigned long*, unsigned long) { return 0; }
HEDDLE_EXPORT void __tsan_java_finalize() {}
HEDDLE_EXPORT void __tsan_java_mutex_lock(unsigned long p) { lock_acquired((void*)p, true); }
HEDDLE_EXPORT void __tsan_java_mutex_unlock(unsigned long p) { lock_released((void*)p, true); }
HEDDLE_EXPORT void __tsan_java_mutex_read_lock(unsigned long p) { lock_acquired((void*)p, false); }
HEDDLE_EXPORT void __tsan_java_mutex_read_unlock(unsigned long p) { lock_released((void*)p, false); }
HEDDLE_EXPORT void __tsan_java_mutex_lock_rec(unsigned long p, int levels) {
  lock_acquired((void*)p, true, (uint32_t)levels);
}
HEDDLE_EXPORT int __tsan_java_mutex_unlock_rec(unsigned long p) { return (int)lock_released((void*)p, true, true); }
HEDDLE_EXPORT void __tsan_java_acquire(unsigned long p) { happens_after((void*)p); }
HEDDLE_EXPORT void __tsan_java_release(unsigned long p) { happens_before((void*)p); }
HEDDLE_EXPORT void __tsan_java_release_store(unsigned long p) { happens_before((void*)p); }
