// pthread_mutex_*: normal, recursive, error-checking, adaptive, robust, timed. The kind is read from the program's
// mutex (its static initialisers set it), the state is ours.
#include <pthread.h>

#include "runtime/parallel/free_steps.h"
#include "runtime/sync/model.h"
#include "runtime/sync/mutex.h"
#include "runtime/sync/process_shared.h"

namespace heddle::rt {
namespace {

constexpr int kKindMask = 127, kRobust = 16, kTypeMask = 3;

int mutex_kind(const void* m) { return ((const pthread_mutex_t*)m)->__data.__kind & kKindMask; }
int mutex_type(const void* m) { return mutex_kind(m) & kTypeMask; }

Object& mutex_at(void* m) {
  Object& o = object_at(m, HEDDLE_EV_MUTEX_LOCK);
  let_model_decide(o);
  return o;
}

// The owner's thread ended while it held a robust mutex.
int robust_result(Object& o) {
  if (!o.abandoned) return 0;
  o.abandoned = false;
  o.inconsistent = true;
  return EOWNERDEAD;
}

// Given up without pthread_mutex_consistent().
void leave_inconsistent(Object& o) {
  if (HEDDLE_LIKELY(!o.inconsistent)) return;
  o.inconsistent = false;
  o.value = ENOTRECOVERABLE;
}

// While a thread looks at the model of a mutex, nobody takes it without: a handler may run at the step, others go on
// meanwhile.
class InModel {
 public:
  explicit InModel(Object& o) : object_(o) { object_.lock_waits++; }
  ~InModel() { object_.lock_waits--; }
  InModel(const InModel&) = delete;

 private:
  Object& object_;
};

Wake point_at(Object& o, const Op& op, Ready ready = nullptr, uint64_t deadline = 0) {
  const InModel stays(o);
  return point(op, ready, &o.owner, deadline);
}

void take(Object& o) {
  set_owner(o, self);
  o.depth = 1;
  discipline.word_taken(&o.owner);
  productive();
  acquired(o);
}

// The mutex is free: its state decides. Whoever is told that it cannot be recovered comes after the thread that left it
// so.
int take_or_fail(Object& o) {
  if (HEDDLE_UNLIKELY(o.value == ENOTRECOVERABLE)) {
    acquired(o);
    last_event_failed();
    return ENOTRECOVERABLE;
  }
  take(o);
  return robust_result(o);
}

}  // namespace

int mutex_acquire(void* m, const Op& op, uint64_t deadline) {
  Object& o = mutex_at(m);
  if (o.owner == self->index + 1) {
    if (mutex_type(m) == PTHREAD_MUTEX_RECURSIVE) {
      point(op);
      o.depth++;
      return 0;
    }
    if (mutex_type(m) == PTHREAD_MUTEX_ERRORCHECK) {
      point(op);
      last_event_failed();
      return EDEADLK;
    }
  }
  if (point_at(o, op, word_is_zero, deadline) == Wake::kTimedOut) {
    last_event_failed();
    return ETIMEDOUT;
  }
  return take_or_fail(o);
}

int mutex_release(void* m) {
  Object& o = mutex_at(m);
  bool checks = mutex_type(m) != PTHREAD_MUTEX_TIMED_NP && mutex_type(m) != PTHREAD_MUTEX_ADAPTIVE_NP;
  if (o.owner != self->index + 1 && (checks || (mutex_kind(m) & kRobust))) {
    last_event_failed();
    return EPERM;
  }
  if (!o.owner) return 0;  // unlock of an unlocked normal mutex: undefined, and harmless in glibc
  if (--o.depth) return 0;
  leave_inconsistent(o);
  released(o);
  set_owner(o, nullptr);
  discipline.word_freed(&o.owner);
  productive();
  may_be_taken_freely(o);
  return 0;
}

uint32_t mutex_give_up(void* m) {
  Object& o = mutex_at(m);
  uint32_t depth = o.depth;
  o.used_with_cond = true;
  if (!o.owner) return 0;
  leave_inconsistent(o);
  released(o);
  o.depth = 0;
  set_owner(o, nullptr);
  model_changed();
  return depth;
}

bool mutex_is_free(void* m) { return mutex_at(m).owner == 0; }

int mutex_take_back(void* m, uint32_t depth) {
  Object& o = mutex_at(m);
  const int result = take_or_fail(o);
  if (result != ENOTRECOVERABLE) o.depth = depth ? depth : 1;
  return result;
}

void note_process_shared() {
  note(
      "a process-shared lock or semaphore: after a fork its operations run outside control; a replay takes their "
      "results from the recording");
}

namespace {

template <class F>
void each_robust_held(const Thread& t, F f) {
  uint32_t count = region->result.object_count;
  HeddleObjectInfo* infos = area<HeddleObjectInfo>(HEDDLE_AREA_OBJECTS);
  for (uint32_t i = 0; i < count; i++) {
    if (infos[i].owner != t.index + 1 || infos[i].kind != HEDDLE_EV_MUTEX_LOCK) continue;
    Object* o = find_object((void*)infos[i].address);
    if (o && o->owner == t.index + 1 && (mutex_kind((void*)o->address) & kRobust)) f(*o);
  }
}

}  // namespace

uint32_t robust_held(const Thread& t) {
  uint32_t held = 0;
  each_robust_held(t, [&](const Object& o) { held = held ? ~0u : o.id; });
  return held;
}

void robust_owner_died(Thread& t) {
  each_robust_held(t, [](Object& o) {
    released(o);  // the next owner is told so (EOWNERDEAD) and repairs what this thread left
    o.abandoned = true;
    o.depth = 0;
    set_owner(o, nullptr);
    model_changed();
  });
}

}  // namespace heddle::rt

using namespace heddle::rt;

HEDDLE_EXPORT int pthread_mutex_init(pthread_mutex_t* m, const pthread_mutexattr_t* attr) {
  if (const Modelled on; on) drop_object(m);
  int shared = PTHREAD_PROCESS_PRIVATE;
  if (const Modelled on; on && attr && !pthread_mutexattr_getpshared(attr, &shared) && shared) note_process_shared();
  return HEDDLE_REAL(pthread_mutex_init)(m, attr);
}

HEDDLE_EXPORT int pthread_mutex_destroy(pthread_mutex_t* m) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_mutex_destroy)(m);
  Object* o = find_object(m);
  if (o) let_model_decide(*o);
  if (o && o->owner) return EBUSY;
  drop_object(m);
  return 0;
}

// Where nobody listens, a jump; the other is reached by one too, so the frame below it is the program's.
int heddle::rt::modelled_mutex_lock(pthread_mutex_t* m) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_mutex_lock)(m);
  if (is_outside(m))
    return outside(pc_site(__builtin_return_address(0)), [&] { return HEDDLE_REAL(pthread_mutex_lock)(m); });
  const Op op = HEDDLE_CALL_OP(MUTEX_LOCK, object_at(m, HEDDLE_EV_MUTEX_LOCK).id, m);
  learn_site(__builtin_return_address(0), op.site);
  return mutex_acquire(m, op, 0);
}

int heddle::rt::recorded_mutex_lock(pthread_mutex_t* m) {
  if (lock_freely(m, HEDDLE_EV_MUTEX_LOCK, __builtin_return_address(0))) return 0;
  return modelled_mutex_lock(m);
}

HEDDLE_EXPORT int pthread_mutex_lock(pthread_mutex_t* m) {
  if (HEDDLE_LIKELY(!controlled())) return HEDDLE_REAL(pthread_mutex_lock)(m);
  return discipline.mutex_lock(m);
}

int heddle::rt::modelled_mutex_trylock(pthread_mutex_t* m) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_mutex_trylock)(m);
  if (is_outside(m))
    return outside(pc_site(__builtin_return_address(0)), [&] { return HEDDLE_REAL(pthread_mutex_trylock)(m); });
  Object& o = mutex_at(m);
  const Op op = HEDDLE_CALL_OP(MUTEX_TRYLOCK, o.id, m);
  learn_site(__builtin_return_address(0), op.site);
  point_at(o, op);
  if (o.owner == self->index + 1 && mutex_type(m) == PTHREAD_MUTEX_RECURSIVE) {
    o.depth++;
    return 0;
  }
  if (o.owner) {
    last_event_failed();
    unproductive();
    return EBUSY;
  }
  return take_or_fail(o);
}

int heddle::rt::recorded_mutex_trylock(pthread_mutex_t* m) {
  if (lock_freely(m, HEDDLE_EV_MUTEX_TRYLOCK, __builtin_return_address(0))) return 0;
  return modelled_mutex_trylock(m);
}

HEDDLE_EXPORT int pthread_mutex_trylock(pthread_mutex_t* m) {
  if (HEDDLE_LIKELY(!controlled())) return HEDDLE_REAL(pthread_mutex_trylock)(m);
  return discipline.mutex_trylock(m);
}

HEDDLE_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* at) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_mutex_timedlock)(m, at);
  if (!valid_time(at)) return EINVAL;
  if (is_outside(m)) {
    timespec real_at = in_real_time(CLOCK_REALTIME, at);
    return outside(pc_site(__builtin_return_address(0)),
                   [&] { return HEDDLE_REAL(pthread_mutex_timedlock)(m, &real_at); });
  }
  return mutex_acquire(m, HEDDLE_CALL_OP(MUTEX_LOCK, object_at(m, HEDDLE_EV_MUTEX_LOCK).id, m),
                       deadline_at(CLOCK_REALTIME, at));
}

HEDDLE_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t clock, const timespec* at) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_mutex_clocklock)(m, clock, at);
  if (!valid_time(at) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)) return EINVAL;
  return mutex_acquire(m, HEDDLE_CALL_OP(MUTEX_LOCK, object_at(m, HEDDLE_EV_MUTEX_LOCK).id, m), deadline_at(clock, at));
}

// Where nobody listens, a jump; the other is reached by one too, so the frame below it is the program's.
int heddle::rt::modelled_mutex_unlock(pthread_mutex_t* m) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_mutex_unlock)(m);
  if (is_outside(m))
    return outside(pc_site(__builtin_return_address(0)), [&] { return HEDDLE_REAL(pthread_mutex_unlock)(m); });
  Object& o = mutex_at(m);
  const Op op = HEDDLE_CALL_OP(MUTEX_UNLOCK, o.id, m);
  learn_site(__builtin_return_address(0), op.site);
  point_at(o, op);
  return mutex_release(m);
}

int heddle::rt::recorded_mutex_unlock(pthread_mutex_t* m) {
  if (unlock_freely(m, __builtin_return_address(0))) return 0;
  return modelled_mutex_unlock(m);
}

HEDDLE_EXPORT int pthread_mutex_unlock(pthread_mutex_t* m) {
  if (HEDDLE_LIKELY(!controlled())) return HEDDLE_REAL(pthread_mutex_unlock)(m);
  return discipline.mutex_unlock(m);
}

HEDDLE_EXPORT int pthread_mutex_consistent(pthread_mutex_t* m) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_mutex_consistent)(m);
  if (is_outside(m))
    return outside(pc_site(__builtin_return_address(0)), [&] { return HEDDLE_REAL(pthread_mutex_consistent)(m); });
  Object& o = object_at(m, HEDDLE_EV_MUTEX_LOCK);
  if (!o.inconsistent) return EINVAL;
  o.inconsistent = false;
  return 0;
}
