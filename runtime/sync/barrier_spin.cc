// pthread_barrier_* and pthread_spin_*.
#include <pthread.h>

#include "runtime/sync/model.h"
#include "runtime/sync/process_shared.h"

namespace heddle::rt {
namespace {

struct Arrival {
  Arrival* next;  // in Object::waiters
  Thread* thread;
  bool released;
};
bool released_by_last(void* argument) { return static_cast<Arrival*>(argument)->released; }

// The last one has arrived: everybody of this round may go on, after what all of them did before. The clock is of this
// round only.
void release_all(Object& o) {
  for (Arrival* a = static_cast<Arrival*>(o.waiters); a; a = a->next) {
    a->released = true;
    if (detector::on) detector::acquire(*a->thread, o);
  }
  if (detector::on) detector::forget(o);
  o.waiters = nullptr;
  o.generation++;
  o.info->waiters = o.arrived = 0;
  model_changed();
}
bool unlocked(void* o) { return static_cast<Object*>(o)->owner == 0; }

// glibc's struct pthread_barrier: in, current_round, count, shared, out.
uint32_t stored_count(pthread_barrier_t* b) { return ((uint32_t*)b)[2]; }

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;

HEDDLE_EXPORT int pthread_barrier_init(pthread_barrier_t* b, const pthread_barrierattr_t* attr, unsigned count) {
  if (const Modelled on; on) drop_object(b);
  return HEDDLE_REAL(pthread_barrier_init)(b, attr, count);
}
HEDDLE_EXPORT int pthread_barrier_destroy(pthread_barrier_t* b) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_barrier_destroy)(b);
  drop_object(b);
  return 0;
}
HEDDLE_EXPORT int pthread_barrier_wait(pthread_barrier_t* b) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_barrier_wait)(b);
  if (is_outside(b))
    return outside(pc_site(__builtin_return_address(0)), [&] { return HEDDLE_REAL(pthread_barrier_wait)(b); });
  Object& o = object_at(b, HEDDLE_EV_BARRIER_ARRIVE);
  uint32_t site = pc_site(__builtin_return_address(0));
  point(Op{HEDDLE_EV_BARRIER_ARRIVE, site, o.id, (uint64_t)b});
  last_event_value(stored_count(b));  // for who looks at the trace: how many make a round
  Arrival mine{static_cast<Arrival*>(o.waiters), self, false};
  o.waiters = &mine;
  released(o);
  productive();
  o.info->waiters = ++o.arrived;
  bool last = o.arrived >= stored_count(b);
  if (last) release_all(o);
  point(Op{HEDDLE_EV_BARRIER_LEAVE, site, o.id, (uint64_t)b}, last ? nullptr : released_by_last, &mine);
  return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

HEDDLE_EXPORT int pthread_spin_init(pthread_spinlock_t* l, int shared) {
  if (const Modelled on; on) drop_object(l);
  return HEDDLE_REAL(pthread_spin_init)(l, shared);
}
HEDDLE_EXPORT int pthread_spin_destroy(pthread_spinlock_t* l) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_spin_destroy)(l);
  drop_object((void*)l);
  return 0;
}
HEDDLE_EXPORT int pthread_spin_lock(pthread_spinlock_t* l) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_spin_lock)(l);
  Object& o = object_at(l, HEDDLE_EV_SPIN_LOCK);
  point(HEDDLE_CALL_OP(SPIN_LOCK, o.id, l), unlocked, &o);
  set_owner(o, self);
  acquired(o);
  model_changed();
  productive();
  return 0;
}
HEDDLE_EXPORT int pthread_spin_trylock(pthread_spinlock_t* l) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_spin_trylock)(l);
  Object& o = object_at(l, HEDDLE_EV_SPIN_LOCK);
  point(HEDDLE_CALL_OP(SPIN_TRYLOCK, o.id, l));
  if (o.owner) {
    last_event_failed();
    unproductive();
    return EBUSY;
  }
  set_owner(o, self);
  acquired(o);
  model_changed();
  productive();
  return 0;
}
HEDDLE_EXPORT int pthread_spin_unlock(pthread_spinlock_t* l) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_spin_unlock)(l);
  Object& o = object_at(l, HEDDLE_EV_SPIN_LOCK);
  point(HEDDLE_CALL_OP(SPIN_UNLOCK, o.id, l));
  released(o);
  set_owner(o, nullptr);
  model_changed();
  productive();
  return 0;
}
