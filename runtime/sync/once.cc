// pthread_once, call_once (C11), and the guards of function-local statics: first come runs the initialiser, others
// wait.
#include <pthread.h>
#include <threads.h>

#include "runtime/sync/model.h"

extern "C" void heddle_call_once(void (*routine)(void));

namespace heddle::rt {

// An initialiser that runs now, on its thread's stack.
struct RunningOnce {
  Object* object;
  RunningOnce* outer;
};

namespace {

enum : int64_t { kNew, kRunning, kDone };

bool not_running(void* o) { return static_cast<Object*>(o)->value != kRunning; }

// True: the caller must run the initialiser, then finish().
bool begin(Object& o, uint32_t site) {
  if (point(Op{HEDDLE_EV_ONCE, site, o.id, o.address}, not_running, &o) == Wake::kTimedOut) return false;
  acquired(o);
  if (o.value == kDone) return false;
  o.value = kRunning;
  set_owner(o, self);
  model_changed();
  productive();
  return true;
}

void finish(Object& o, uint32_t site, int64_t state) {
  point(Op{HEDDLE_EV_ONCE_DONE, site, o.id, o.address});
  o.value = state;
  set_owner(o, nullptr);
  released(o);
  model_changed();
  productive();
}

int once(int* control_word, void (*routine)(void), uint32_t site) {
  Object& o = object_at(control_word, HEDDLE_EV_ONCE);
  if (*control_word == 2 && o.value == kNew) o.value = kDone;  // done before control began
  if (!begin(o, site)) return 0;
  RunningOnce running{&o, self->sync.running_once};
  self->sync.running_once = &running;
  {
    Outside outside(*self);
    heddle_call_once(routine);
  }
  self->sync.running_once = running.outer;
  *control_word = 2;
  finish(o, site, kDone);
  return 0;
}

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;
#define HEDDLE_HERE pc_site(__builtin_return_address(0))

// Called by the unwinder, when there is one, for the frame of heddle_call_once (Itanium C++ ABI, level I). An
// initialiser that does not return makes the once runnable again.
extern "C" __attribute__((visibility("hidden"))) int heddle_once_personality(int, int actions, uint64_t, void*, void*) {
  constexpr int kCleanupPhase = 2, kContinueUnwind = 8;
  if (!(actions & kCleanupPhase) || !modelled() || !self->sync.running_once) return kContinueUnwind;
  Inside inside;
  Object& o = *self->sync.running_once->object;
  self->sync.running_once = self->sync.running_once->outer;
  o.value = kNew;
  set_owner(o, nullptr);
  released(o);  // the next one comes after it ([thread.once.callonce])
  model_changed();
  return kContinueUnwind;
}

HEDDLE_EXPORT int pthread_once(pthread_once_t* word, void (*routine)(void)) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_once)(word, routine);
  return once(word, routine, HEDDLE_HERE);
}

HEDDLE_EXPORT void call_once(once_flag* flag, void (*routine)(void)) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(call_once)(flag, routine);
  once((int*)flag, routine, HEDDLE_HERE);
}

// Itanium C++ ABI: the first byte says "initialised"; compiled code reads it with acquire before calling us.
extern "C" int __cxa_guard_acquire(uint64_t*);
extern "C" void __cxa_guard_release(uint64_t*);
extern "C" void __cxa_guard_abort(uint64_t*);

HEDDLE_EXPORT int __cxa_guard_acquire(uint64_t* guard) {
  const Modelled on;
  if (!on) return real.__cxa_guard_acquire ? HEDDLE_REAL(__cxa_guard_acquire)(guard) : !*(char*)guard;
  Object& o = object_at(guard, HEDDLE_EV_ONCE);
  if (*(volatile uint8_t*)guard && o.value == kNew) o.value = kDone;
  return begin(o, HEDDLE_HERE);
}

HEDDLE_EXPORT void __cxa_guard_release(uint64_t* guard) {
  const Modelled on;
  if (!on) {
    if (real.__cxa_guard_release) return HEDDLE_REAL(__cxa_guard_release)(guard);
    *(char*)guard = 1;
    return;
  }
  Object& o = object_at(guard, HEDDLE_EV_ONCE);
  finish(o, HEDDLE_HERE, kDone);
  *(volatile uint8_t*)guard = 1;
  if (detector::on)
    detector::atomic(*self, guard, 1, HEDDLE_EV_ATOMIC_STORE, __ATOMIC_RELEASE, true, nullptr);
}

HEDDLE_EXPORT void __cxa_guard_abort(uint64_t* guard) {
  const Modelled on;
  if (!on) {
    if (real.__cxa_guard_abort) HEDDLE_REAL(__cxa_guard_abort)(guard);
    return;
  }
  finish(object_at(guard, HEDDLE_EV_ONCE), HEDDLE_HERE, kNew);
}
