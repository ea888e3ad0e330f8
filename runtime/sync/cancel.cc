// pthread_cancel and friends: a request is seen at the next cancellation point of the model; the thread then leaves by
// the real pthread_exit, so cleanup handlers, destructors and keys run as always.
#include <pthread.h>

#include "runtime/control/backend.h"
#include "runtime/parallel/free_steps.h"
#include "runtime/sync/model.h"

namespace heddle::rt {

bool cancel_pending(Thread& t) {
  return t.sync.cancel_requested && t.sync.cancel_state == PTHREAD_CANCEL_ENABLE && !t.finished;
}

bool cancel_wakes(Thread& t) {
  if (!cancel_pending(t)) return false;
  switch (t.op.kind) {
    case HEDDLE_EV_SEM_WAIT:
    case HEDDLE_EV_THREAD_JOIN:
    case HEDDLE_EV_SLEEP: return true;
    default: return false;
  }
}

void cancellation_point() {
  Thread& t = *self;
  if (HEDDLE_LIKELY(!cancel_pending(t)) || !t.sync.cancel_seen) return;
  t.sync.cancel_requested = 0;
  if (detector::on) detector::io_acquire(t);  // cleanup handlers come after the request
  baton_give_all(t);  // the frames between here and the thread's start are left without return
  __atomic_store_n(&region->result.signals, 0, __ATOMIC_SEQ_CST);
  HEDDLE_REAL(pthread_exit)(PTHREAD_CANCELED);
}

void asynchronous_cancellation(Thread& t) {
  if (t.sync.cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS) cancellation_point();
}

void cancel_point() { cancellation_point(); }

}  // namespace heddle::rt

using namespace heddle::rt;

static Thread* request_cancellation(pthread_t handle, const Op& op) {
  const NoFreeSteps none;  // such a step has seen the request, or has a smaller number than this one
  point(op);
  for (uint32_t i = 0; i < thread_count(); i++) {
    Thread& t = thread(i);
    if (t.sync.handle != handle || t.finished) continue;
    t.sync.cancel_requested = 1;
    return &t;
  }
  return nullptr;
}

HEDDLE_EXPORT int pthread_cancel(pthread_t handle) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_cancel)(handle);
  Thread* t = request_cancellation(handle, HEDDLE_CALL_OP(THREAD_CANCEL, 0, 0));
  if (!t) return ESRCH;
  if (t == self) t->sync.cancel_seen = 1;
  if (detector::on) detector::io_release(*self);
  __atomic_fetch_add(&region->result.signals, 1, __ATOMIC_SEQ_CST);
  if (t != self && !region->run.feed) io_interrupt(*t);
  model_changed();
  productive();
  if (t == self && t->sync.cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS) cancellation_point();
  return 0;
}

HEDDLE_EXPORT int pthread_setcancelstate(int state, int* old) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_setcancelstate)(state, old);
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  if (old) *old = (int)self->sync.cancel_state;
  self->sync.cancel_state = (uint32_t)state;
  return 0;
}

HEDDLE_EXPORT int pthread_setcanceltype(int type, int* old) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_setcanceltype)(type, old);
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  if (old) *old = (int)self->sync.cancel_type;
  self->sync.cancel_type = (uint32_t)type;
  return 0;
}

HEDDLE_EXPORT void pthread_testcancel() {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_testcancel)();
  point(HEDDLE_CALL_OP(THREAD_CANCEL, 0, 0));
  cancellation_point();
}
