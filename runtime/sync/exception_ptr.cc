// std::exception_ptr counts its references inside libstdc++.so, where no hook sees the atomic: whoever drops the last
// reference frees what others have read. Each release is therefore a release and an acquire of one common object.

#include "runtime/sync/model.h"
#include "runtime/real/next.h"

using namespace heddle::rt;

namespace {
char common;  // its address names the object
}

HEDDLE_EXPORT void exception_ptr_release(void* self_pointer) __asm__(
    "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");

HEDDLE_EXPORT void exception_ptr_release(void* self_pointer) {
  auto* const next = HEDDLE_NEXT(void (*)(void*), "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
  if (const Modelled on; on) {
    Object& o = object_at(&common, HEDDLE_EV_FENCE);  // made with the detector off too: it only observes
    released(o);
    acquired(o);
  }
  if (next) next(self_pointer);
}

// The end of a handler drops the reference that a rethrown exception holds.
HEDDLE_EXPORT void __cxa_end_catch() {
  auto* const next = HEDDLE_NEXT(void (*)(), "__cxa_end_catch");
  if (const Modelled on; on) {
    Object& o = object_at(&common, HEDDLE_EV_FENCE);
    released(o);
    acquired(o);
  }
  next();
}
