// pthread_rwlock_*. A reader may pass a waiting writer whenever no writer holds the lock, unless its kind is
// PREFER_WRITER_NONRECURSIVE (the only one that glibc treats in another way): then a writer that waits keeps new
// readers out.
#include <pthread.h>

#include "runtime/sync/model.h"

namespace heddle::rt {
namespace {

Object& lock_at(void* l) { return object_at(l, HEDDLE_EV_RW_WRLOCK); }
bool no_writer(void* o) { return static_cast<Object*>(o)->owner == 0; }
bool no_writer_waits(void* o) {
  return no_writer(o) && static_cast<Object*>(o)->arrived == 0;
}  // arrived: writers that wait
bool nobody(void* o) { return static_cast<Object*>(o)->owner == 0 && static_cast<Object*>(o)->readers == 0; }

bool prefers_writers(const void* l) {
  return static_cast<const pthread_rwlock_t*>(l)->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}
Ready reader_may_enter(const void* l) { return prefers_writers(l) ? no_writer_waits : no_writer; }

// Whether the writer has come already matters to readers: its coming is a step of its own.
Wake wait_as_preferred_writer(Object& o, const Op& op, uint64_t deadline) {
  point(op);
  if (nobody(&o)) return Wake::kReady;
  o.arrived++;
  model_changed();
  Wake wake = point(op, nobody, &o, deadline);
  o.arrived--;
  model_changed();
  return wake;
}

void took(Object& o, bool write) {
  if (write) {
    set_owner(o, self);
    if (detector::on) detector::acquire2(*self, o);
  } else {
    o.info->readers = ++o.readers;
  }
  acquired(o);
  model_changed();
  productive();
}

int take(void* l, bool write, uint64_t deadline, uint32_t site) {
  Object& o = lock_at(l);
  Op op{write ? (uint32_t)HEDDLE_EV_RW_WRLOCK : (uint32_t)HEDDLE_EV_RW_RDLOCK, site, o.id, (uint64_t)l};
  if (o.owner == self->index + 1) {
    point(op);
    last_event_failed();
    return EDEADLK;
  }
  Wake wake = write && prefers_writers(l) ? wait_as_preferred_writer(o, op, deadline)
                                          : point(op, write ? nobody : reader_may_enter(l), &o, deadline);
  if (wake == Wake::kTimedOut) {
    last_event_failed();
    return ETIMEDOUT;
  }
  took(o, write);
  return 0;
}

int try_take(void* l, bool write, uint32_t site) {
  Object& o = lock_at(l);
  point(Op{HEDDLE_EV_RW_TRYLOCK, site, o.id, (uint64_t)l});
  if (!(write ? nobody(&o) : reader_may_enter(l)(&o))) {
    last_event_failed();
    unproductive();
    return EBUSY;
  }
  last_event_value(write);  // the kind of the event does not tell
  took(o, write);
  return 0;
}

void give(void* l, uint32_t site) {
  Object& o = lock_at(l);
  point(Op{HEDDLE_EV_RW_UNLOCK, site, o.id, (uint64_t)l});
  if (o.owner) {
    released(o);
    set_owner(o, nullptr);
  } else if (o.readers) {
    if (detector::on) detector::release2(*self, o);
    discipline.released(*self);
    o.info->readers = --o.readers;
  }
  model_changed();
  productive();
}

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;
#define HEDDLE_HERE pc_site(__builtin_return_address(0))

HEDDLE_EXPORT int pthread_rwlock_init(pthread_rwlock_t* l, const pthread_rwlockattr_t* attr) {
  if (const Modelled on; on) drop_object(l);
  return HEDDLE_REAL(pthread_rwlock_init)(l, attr);
}
HEDDLE_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* l) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_rwlock_destroy)(l);
  drop_object(l);
  return 0;
}
HEDDLE_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* l) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_rwlock_rdlock)(l);
  return take(l, false, 0, HEDDLE_HERE);
}
HEDDLE_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* l) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_rwlock_wrlock)(l);
  return take(l, true, 0, HEDDLE_HERE);
}
HEDDLE_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* l) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_rwlock_tryrdlock)(l);
  return try_take(l, false, HEDDLE_HERE);
}
HEDDLE_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* l) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_rwlock_trywrlock)(l);
  return try_take(l, true, HEDDLE_HERE);
}
HEDDLE_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* l, const timespec* at) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_rwlock_timedrdlock)(l, at);
  return valid_time(at) ? take(l, false, deadline_at(CLOCK_REALTIME, at), HEDDLE_HERE) : EINVAL;
}
HEDDLE_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* l, const timespec* at) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_rwlock_timedwrlock)(l, at);
  return valid_time(at) ? take(l, true, deadline_at(CLOCK_REALTIME, at), HEDDLE_HERE) : EINVAL;
}
HEDDLE_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* l, clockid_t clock, const timespec* at) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_rwlock_clockrdlock)(l, clock, at);
  return valid_time(at) ? take(l, false, deadline_at(clock, at), HEDDLE_HERE) : EINVAL;
}
HEDDLE_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* l, clockid_t clock, const timespec* at) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_rwlock_clockwrlock)(l, clock, at);
  return valid_time(at) ? take(l, true, deadline_at(clock, at), HEDDLE_HERE) : EINVAL;
}
HEDDLE_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* l) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_rwlock_unlock)(l);
  give(l, HEDDLE_HERE);
  return 0;
}
