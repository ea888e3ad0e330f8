// C11 <threads.h>: libc calls its internals, not the pthread names, so these need interposing too. mtx_t, cnd_t and
// thrd_t are pthread types underneath.
#include <pthread.h>
#include <threads.h>

#include "runtime/sync/model.h"


namespace heddle::rt {
namespace {

int result_of(int error) {
  switch (error) {
    case 0: return thrd_success;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
    default: return thrd_error;
  }
}

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;

// A thrd_start_t returns int; the register is the same, the upper half of the pointer is not looked at by thrd_join.
HEDDLE_EXPORT int thrd_create(thrd_t* t, thrd_start_t start, void* argument) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(thrd_create)(t, start, argument);
  return result_of(pthread_create((pthread_t*)t, nullptr, (void* (*)(void*))(void*)start, argument));
}
HEDDLE_EXPORT int thrd_join(thrd_t t, int* result) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(thrd_join)(t, result);
  void* value;
  int error = pthread_join((pthread_t)t, &value);
  if (!error && result) *result = (int)(intptr_t)value;
  return result_of(error);
}
HEDDLE_EXPORT int thrd_detach(thrd_t t) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(thrd_detach)(t);
  return result_of(pthread_detach((pthread_t)t));
}
HEDDLE_EXPORT void thrd_exit(int result) {
  const Modelled on;
  if (!on) HEDDLE_REAL(thrd_exit)(result);
  pthread_exit((void*)(intptr_t)result);
}
HEDDLE_EXPORT int mtx_init(mtx_t* m, int type) {
  if (const Modelled on; on) drop_object(m);
  return HEDDLE_REAL(mtx_init)(m, type);
}
HEDDLE_EXPORT void mtx_destroy(mtx_t* m) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(mtx_destroy)(m);
  drop_object(m);
}
HEDDLE_EXPORT int mtx_lock(mtx_t* m) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(mtx_lock)(m);
  return result_of(pthread_mutex_lock((pthread_mutex_t*)m));
}
HEDDLE_EXPORT int mtx_timedlock(mtx_t* m, const timespec* at) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(mtx_timedlock)(m, at);
  return result_of(pthread_mutex_timedlock((pthread_mutex_t*)m, at));
}
HEDDLE_EXPORT int mtx_trylock(mtx_t* m) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(mtx_trylock)(m);
  return result_of(pthread_mutex_trylock((pthread_mutex_t*)m));
}
HEDDLE_EXPORT int mtx_unlock(mtx_t* m) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(mtx_unlock)(m);
  return result_of(pthread_mutex_unlock((pthread_mutex_t*)m));
}
HEDDLE_EXPORT int cnd_init(cnd_t* c) {
  if (const Modelled on; on) drop_object(c);
  return HEDDLE_REAL(cnd_init)(c);
}
HEDDLE_EXPORT void cnd_destroy(cnd_t* c) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(cnd_destroy)(c);
  drop_object(c);
}
HEDDLE_EXPORT int cnd_wait(cnd_t* c, mtx_t* m) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(cnd_wait)(c, m);
  return result_of(pthread_cond_wait((pthread_cond_t*)c, (pthread_mutex_t*)m));
}
HEDDLE_EXPORT int cnd_timedwait(cnd_t* c, mtx_t* m, const timespec* at) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(cnd_timedwait)(c, m, at);
  return result_of(pthread_cond_timedwait((pthread_cond_t*)c, (pthread_mutex_t*)m, at));
}
HEDDLE_EXPORT int cnd_signal(cnd_t* c) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(cnd_signal)(c);
  return result_of(pthread_cond_signal((pthread_cond_t*)c));
}
HEDDLE_EXPORT int cnd_broadcast(cnd_t* c) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(cnd_broadcast)(c);
  return result_of(pthread_cond_broadcast((pthread_cond_t*)c));
}
