// pthread_cond_*: a wait gives the mutex up and waits for a token; a signal leaves one token that any thread waiting at
// that moment may take, so which waiter wakes is a choice of the schedule. Waking and taking the mutex back is one
// step. A signal that finds no waiter (beyond those that already have a token) is lost: counted for the deadlock
// report.
#include <pthread.h>

#include "runtime/arena.h"
#include "runtime/sync/model.h"
#include "runtime/sync/process_shared.h"

namespace heddle::rt {
namespace {

struct Waiter {
  Waiter* next;
  Object* cond;
  void* mutex;
  Thread* thread;
  uint64_t since;  // sequence number at which the wait began
};
struct Token {  // of one signal or broadcast
  Token* next;
  uint64_t at;
  uint32_t left;  // how many waiters may still take it
};
struct CondState {
  Waiter* waiters;
  Token* tokens;  // oldest first
  uint32_t waiting, available;
};
Token* spare_tokens;

CondState& state_of(Object& o) {
  if (!o.waiters) o.waiters = arena_new<CondState>();
  return *static_cast<CondState*>(o.waiters);
}

// The oldest token left after the wait began.
Token** token_for(const Waiter& w) {
  Token** p = &state_of(*w.cond).tokens;
  while (*p && (*p)->at < w.since) p = &(*p)->next;
  return p;
}

bool woken(void* argument) {
  Waiter& w = *static_cast<Waiter*>(argument);
  return (*token_for(w) || cancel_pending(*w.thread)) && mutex_is_free(w.mutex);
}

bool mutex_free(void* argument) { return mutex_is_free(static_cast<Waiter*>(argument)->mutex); }

void add_token(Object& o, CondState& s, uint32_t waiters) {
  Token* t = spare_tokens;
  if (t)
    spare_tokens = t->next;
  else
    t = arena_new<Token>();
  t->at = ++o.sequence;
  t->left = waiters;
  t->next = nullptr;
  Token** p = &s.tokens;
  while (*p) p = &(*p)->next;
  *p = t;
  s.available += waiters;
}

bool take_token(CondState& s, const Waiter& w) {
  Token** p = token_for(w);
  if (!*p) return false;
  Token* t = *p;
  s.available--;
  if (--t->left) return true;
  *p = t->next;
  t->next = spare_tokens;
  spare_tokens = t;
  return true;
}

void unlink(CondState& s, Waiter& w) {
  for (Waiter** p = &s.waiters; *p; p = &(*p)->next) {
    if (*p != &w) continue;
    *p = w.next;
    s.waiting--;
    w.cond->info->waiters = s.waiting;
    return;
  }
}

int wait_on(void* cond, void* mutex, uint64_t deadline, uint32_t site) {
  Object& o = object_at(cond, HEDDLE_EV_COND_WAIT);
  point(Op{HEDDLE_EV_COND_WAIT, site, o.id, (uint64_t)cond});
  if (Object* held = find_object(mutex))
    last_event_value(held->id);  // for who looks at the trace: which lock it gives up
  CondState& s = state_of(o);
  Waiter w{s.waiters, &o, mutex, self, ++o.sequence};
  s.waiters = &w;
  o.info->waiters = ++s.waiting;
  uint32_t depth = mutex_give_up(mutex);
  productive();
  Op wake{HEDDLE_EV_COND_WAKE, site, o.id, (uint64_t)cond};
  Wake how = point(wake, woken, &w, deadline);
  bool signalled = take_token(s, w);
  unlink(s, w);
  if (how == Wake::kTimedOut && !mutex_is_free(mutex))
    point(wake, mutex_free, &w);  // the mutex must come back all the same
  const int mutex_result = mutex_take_back(mutex, depth);
  if (signalled) {
    acquired(o);
    return mutex_result;
  }
  last_event_failed();
  cancellation_point();
  return mutex_result ? mutex_result : ETIMEDOUT;
}

void signal(void* cond, bool all, const Op& op) {
  Object& o = object_at(cond, HEDDLE_EV_COND_WAIT);
  point(op);
  CondState& s = state_of(o);
  uint32_t unserved = s.waiting - s.available;
  if (!unserved) o.info->lost_signals++;
  o.info->last_signaler = self->index + 1;
  last_event_value(unserved);
  released(o);
  if (unserved) add_token(o, s, all ? unserved : 1);
  model_changed();
  productive();
}

int clock_of(const pthread_cond_t* c) { return (c->__data.__wrefs & 2) ? CLOCK_MONOTONIC : CLOCK_REALTIME; }

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;

HEDDLE_EXPORT int pthread_cond_init(pthread_cond_t* c, const pthread_condattr_t* attr) {
  if (const Modelled on; on) drop_object(c);
  return HEDDLE_REAL(pthread_cond_init)(c, attr);
}

HEDDLE_EXPORT int pthread_cond_destroy(pthread_cond_t* c) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_cond_destroy)(c);
  drop_object(c);
  return 0;
}

HEDDLE_EXPORT int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_cond_wait)(c, m);
  if (is_outside(c) && is_outside(m))
    return outside(pc_site(__builtin_return_address(0)), [&] { return HEDDLE_REAL(pthread_cond_wait)(c, m); });
  cancellation_point();
  return wait_on(c, m, 0, pc_site(__builtin_return_address(0)));
}

HEDDLE_EXPORT int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* at) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_cond_timedwait)(c, m, at);
  if (!valid_time(at)) return EINVAL;
  if (is_outside(c) && is_outside(m)) {
    timespec real_at = in_real_time(clock_of(c), at);
    return outside(pc_site(__builtin_return_address(0)),
                   [&] { return HEDDLE_REAL(pthread_cond_timedwait)(c, m, &real_at); });
  }
  cancellation_point();
  return wait_on(c, m, deadline_at(clock_of(c), at), pc_site(__builtin_return_address(0)));
}

HEDDLE_EXPORT int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, const timespec* at) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_cond_clockwait)(c, m, clock, at);
  if (!valid_time(at) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)) return EINVAL;
  cancellation_point();
  return wait_on(c, m, deadline_at(clock, at), pc_site(__builtin_return_address(0)));
}

HEDDLE_EXPORT int pthread_cond_signal(pthread_cond_t* c) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_cond_signal)(c);
  if (is_outside(c))
    return outside(pc_site(__builtin_return_address(0)), [&] { return HEDDLE_REAL(pthread_cond_signal)(c); });
  signal(c, false, HEDDLE_CALL_OP(COND_SIGNAL, object_at(c, HEDDLE_EV_COND_WAIT).id, c));
  return 0;
}

HEDDLE_EXPORT int pthread_cond_broadcast(pthread_cond_t* c) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_cond_broadcast)(c);
  if (is_outside(c))
    return outside(pc_site(__builtin_return_address(0)), [&] { return HEDDLE_REAL(pthread_cond_broadcast)(c); });
  signal(c, true, HEDDLE_CALL_OP(COND_BROADCAST, object_at(c, HEDDLE_EV_COND_WAIT).id, c));
  return 0;
}
