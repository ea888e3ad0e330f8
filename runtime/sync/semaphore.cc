// sem_*: the count lives in the program's sem_t at first sight (sem_init writes it), then in the model.
#include <limits.h>
#include <semaphore.h>

#include "runtime/sync/model.h"
#include "runtime/sync/process_shared.h"

namespace heddle::rt {
namespace {

// glibc's new_sem on 64 bit: value in the low half of the first word.
uint32_t stored_value(sem_t* s) { return *(uint32_t*)s; }

Object& sem_at(sem_t* s) {
  Object& o = object_at(s, HEDDLE_EV_SEM_WAIT);
  if (!o.initialised) {
    o.initialised = true;
    o.value = stored_value(s);
  }
  return o;
}

bool positive(void* o) { return static_cast<Object*>(o)->value > 0; }

int take(sem_t* s, uint64_t deadline, uint32_t site) {
  cancellation_point();
  Object& o = sem_at(s);
  Wake wake = point(Op{HEDDLE_EV_SEM_WAIT, site, o.id, (uint64_t)s}, positive, &o, deadline);
  if (wake != Wake::kReady) {
    last_event_failed();
    cancellation_point();
    errno = wake == Wake::kInterrupted ? EINTR : ETIMEDOUT;
    return -1;
  }
  o.value--;
  acquired(o);
  model_changed();
  productive();
  return 0;
}

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;
#define HEDDLE_HERE pc_site(__builtin_return_address(0))

// libc's result as an error number, and back.
#define HEDDLE_OUTSIDE_SEM(call)                                                \
  do {                                                                          \
    int error = outside(HEDDLE_HERE, [&] { return (call) ? errno : 0; });       \
    return error ? (errno = error, -1) : 0;                                     \
  } while (0)

HEDDLE_EXPORT int sem_init(sem_t* s, int shared, unsigned value) {
  if (const Modelled on; on) drop_object(s);
  if (const Modelled on; on && shared) note_process_shared();
  return HEDDLE_REAL(sem_init)(s, shared, value);
}
HEDDLE_EXPORT int sem_destroy(sem_t* s) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(sem_destroy)(s);
  drop_object(s);
  return 0;
}
HEDDLE_EXPORT int sem_wait(sem_t* s) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(sem_wait)(s);
  if (is_outside(s)) HEDDLE_OUTSIDE_SEM(HEDDLE_REAL(sem_wait)(s));
  return take(s, 0, HEDDLE_HERE);
}
HEDDLE_EXPORT int sem_timedwait(sem_t* s, const timespec* at) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(sem_timedwait)(s, at);
  if (!valid_time(at)) return errno = EINVAL, -1;
  if (is_outside(s)) {
    timespec real_at = in_real_time(CLOCK_REALTIME, at);
    HEDDLE_OUTSIDE_SEM(HEDDLE_REAL(sem_timedwait)(s, &real_at));
  }
  return take(s, deadline_at(CLOCK_REALTIME, at), HEDDLE_HERE);
}
HEDDLE_EXPORT int sem_clockwait(sem_t* s, clockid_t clock, const timespec* at) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(sem_clockwait)(s, clock, at);
  if (!valid_time(at)) return errno = EINVAL, -1;
  if (is_outside(s)) {
    timespec real_at = in_real_time(clock, at);
    HEDDLE_OUTSIDE_SEM(HEDDLE_REAL(sem_clockwait)(s, clock, &real_at));
  }
  return take(s, deadline_at(clock, at), HEDDLE_HERE);
}
HEDDLE_EXPORT int sem_trywait(sem_t* s) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(sem_trywait)(s);
  if (is_outside(s)) HEDDLE_OUTSIDE_SEM(HEDDLE_REAL(sem_trywait)(s));
  Object& o = sem_at(s);
  point(HEDDLE_CALL_OP(SEM_TRYWAIT, o.id, s));
  if (o.value <= 0) {
    last_event_failed();
    unproductive();
    errno = EAGAIN;
    return -1;
  }
  o.value--;
  acquired(o);
  model_changed();
  productive();
  return 0;
}
HEDDLE_EXPORT int sem_post(sem_t* s) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(sem_post)(s);
  if (is_outside(s)) HEDDLE_OUTSIDE_SEM(HEDDLE_REAL(sem_post)(s));
  Object& o = sem_at(s);
  point(HEDDLE_CALL_OP(SEM_POST, o.id, s));
  if (o.value == SEM_VALUE_MAX) return errno = EOVERFLOW, -1;
  o.value++;
  released(o);
  model_changed();
  productive();
  return 0;
}
HEDDLE_EXPORT int sem_getvalue(sem_t* s, int* value) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(sem_getvalue)(s, value);
  if (is_outside(s)) {
    *value = outside(HEDDLE_HERE, [&] {
      int now = 0;
      HEDDLE_REAL(sem_getvalue)(s, &now);
      return now;
    });
    return 0;
  }
  Object& o = sem_at(s);
  point(HEDDLE_CALL_OP(SEM_TRYWAIT, o.id, s));
  *value = (int)o.value;
  return 0;
}
