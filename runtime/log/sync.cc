// The recorder of synchronisation: what each thread locked, unlocked, waited for, signalled, made and joined, where,
// and when. It puts itself in front of the real functions (real.h), so a program without a log pays nothing. What
// releases is written before it happens, what acquires afterwards: along one object times grow.
//
// Not seen: C11 threads' functions, futexes, atomics, and what a thread does after its start routine has returned
// (destructors of thread-local variables).
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "abi/events.h"
#include "runtime/log/log.h"
#include "runtime/real/real.h"

extern "C" void* heddle_call_logged_thread(void* (*entry)(void*), void* argument);

namespace heddle::rt::log {
namespace {

Real before;  // the functions behind ours

#define HEDDLE_BEFORE(name) (reinterpret_cast<decltype(&::name)>(before.name))
// Where the program called `name`.
#define HEDDLE_CALLER(name) \
  caller_of(reinterpret_cast<uint64_t>(&::name), __builtin_return_address(0), __builtin_frame_address(0))

// The interposer of that name calls us, or it only jumps. Its frame has a frame pointer, as ours.
inline uint64_t caller_of(uint64_t interposer, void* back, void* frame) {
  constexpr uint64_t kLongest = 2048, kFrames = 4096;  // bytes
  const uint64_t at = (uint64_t)back;
  if (HEDDLE_LIKELY(at - interposer >= kLongest)) return at;
  const uint64_t outer = *(uint64_t*)frame;
  if (outer - (uint64_t)frame >= kFrames || outer % 8) return at;
  return ((uint64_t*)outer)[1];
}

inline void put(uint32_t kind, uint64_t object, uint64_t caller, bool failed = false) {
  if (!on()) return;
  ThreadLog* t = mine(HEDDLE_LOG_SYNC);
  if (!t) return;
  put(*t, HEDDLE_LOG_SYNC,
      HeddleLogSync{now(), HEDDLE_LOG_SITE_OF(caller) | (uint64_t)kind << 48 | (failed ? HEDDLE_LOG_FAILED : 0),
                    object});
}
inline void put(uint32_t kind, const void* object, uint64_t caller, bool failed = false) {
  put(kind, (uint64_t)object, caller, failed);
}

// X(function, parameters, arguments, object, kind, failed): what acquires
#define HEDDLE_ACQUIRES(X)                                                                                         \
  X(pthread_mutex_lock, (pthread_mutex_t * m), (m), m, MUTEX_LOCK, r&& r != EOWNERDEAD)                            \
  X(pthread_mutex_trylock, (pthread_mutex_t * m), (m), m, MUTEX_TRYLOCK, r&& r != EOWNERDEAD)                      \
  X(pthread_mutex_timedlock, (pthread_mutex_t * m, const timespec* t), (m, t), m, MUTEX_LOCK, r&& r != EOWNERDEAD) \
  X(pthread_mutex_clocklock, (pthread_mutex_t * m, clockid_t c, const timespec* t), (m, c, t), m, MUTEX_LOCK,      \
    r&& r != EOWNERDEAD)                                                                                           \
  X(pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l), l, RW_RDLOCK, r)                                           \
  X(pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l), l, RW_WRLOCK, r)                                           \
  X(pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l), l, RW_TRYLOCK, r)                                       \
  X(pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l), l, RW_TRYLOCK, r)                                       \
  X(pthread_rwlock_timedrdlock, (pthread_rwlock_t * l, const timespec* t), (l, t), l, RW_RDLOCK, r)                \
  X(pthread_rwlock_timedwrlock, (pthread_rwlock_t * l, const timespec* t), (l, t), l, RW_WRLOCK, r)                \
  X(pthread_spin_lock, (pthread_spinlock_t * l), (l), (const void*)l, SPIN_LOCK, r)                                \
  X(pthread_spin_trylock, (pthread_spinlock_t * l), (l), (const void*)l, SPIN_TRYLOCK, r)                          \
  X(sem_wait, (sem_t * s), (s), s, SEM_WAIT, r)                                                                    \
  X(sem_trywait, (sem_t * s), (s), s, SEM_TRYWAIT, r)                                                              \
  X(sem_timedwait, (sem_t * s, const timespec* t), (s, t), s, SEM_WAIT, r)                                         \
  X(sem_clockwait, (sem_t * s, clockid_t c, const timespec* t), (s, c, t), s, SEM_WAIT, r)                         \
  X(pthread_join, (pthread_t t, void** v), (t, v), (uint64_t)t, THREAD_JOIN, r)                                    \
  X(pthread_tryjoin_np, (pthread_t t, void** v), (t, v), (uint64_t)t, THREAD_JOIN, r)                              \
  X(pthread_timedjoin_np, (pthread_t t, void** v, const timespec* at), (t, v, at), (uint64_t)t, THREAD_JOIN, r)    \
  X(pthread_clockjoin_np, (pthread_t t, void** v, clockid_t c, const timespec* at), (t, v, c, at), (uint64_t)t,    \
    THREAD_JOIN, r)
// X(function, parameters, arguments, object, kind): what releases
#define HEDDLE_RELEASES(X)                                                           \
  X(pthread_mutex_unlock, (pthread_mutex_t * m), (m), m, MUTEX_UNLOCK)               \
  X(pthread_rwlock_unlock, (pthread_rwlock_t * l), (l), l, RW_UNLOCK)                \
  X(pthread_spin_unlock, (pthread_spinlock_t * l), (l), (const void*)l, SPIN_UNLOCK) \
  X(pthread_cond_signal, (pthread_cond_t * c), (c), c, COND_SIGNAL)                  \
  X(pthread_cond_broadcast, (pthread_cond_t * c), (c), c, COND_BROADCAST)            \
  X(sem_post, (sem_t * s), (s), s, SEM_POST)                                         \
  X(pthread_detach, (pthread_t t), (t), (uint64_t)t, THREAD_DETACH)                  \
  X(pthread_cancel, (pthread_t t), (t), (uint64_t)t, THREAD_CANCEL)
// X(function, parameters, arguments): waits of condition variables; `c` and `m`
#define HEDDLE_WAITS(X)                                                                              \
  X(pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t * m), (c, m))                            \
  X(pthread_cond_timedwait, (pthread_cond_t * c, pthread_mutex_t * m, const timespec* t), (c, m, t)) \
  X(pthread_cond_clockwait, (pthread_cond_t * c, pthread_mutex_t * m, clockid_t k, const timespec* t), (c, m, k, t))

#define X(name, parameters, arguments, object, kind, failed) \
  int logged_##name parameters {                             \
    const uint64_t caller = HEDDLE_CALLER(name);             \
    const int r = HEDDLE_BEFORE(name) arguments;             \
    put(HEDDLE_EV_##kind, object, caller, failed);           \
    return r;                                                \
  }
HEDDLE_ACQUIRES(X)
#undef X
#define X(name, parameters, arguments, object, kind)    \
  int logged_##name parameters {                        \
    put(HEDDLE_EV_##kind, object, HEDDLE_CALLER(name)); \
    return HEDDLE_BEFORE(name) arguments;               \
  }
HEDDLE_RELEASES(X)
#undef X
// The mutex is released and taken again inside: two records of its own.
#define X(name, parameters, arguments)           \
  int logged_##name parameters {                 \
    const uint64_t caller = HEDDLE_CALLER(name); \
    put(HEDDLE_EV_COND_WAIT, c, caller);         \
    put(HEDDLE_EV_MUTEX_UNLOCK, m, caller);      \
    const int r = HEDDLE_BEFORE(name) arguments; \
    put(HEDDLE_EV_MUTEX_LOCK, m, caller);        \
    put(HEDDLE_EV_COND_WAKE, c, caller, r != 0); \
    return r;                                    \
  }
HEDDLE_WAITS(X)
#undef X

int logged_pthread_barrier_wait(pthread_barrier_t* b) {
  const uint64_t caller = HEDDLE_CALLER(pthread_barrier_wait);
  put(HEDDLE_EV_BARRIER_ARRIVE, b, caller);
  const int r = HEDDLE_BEFORE(pthread_barrier_wait)(b);
  put(HEDDLE_EV_BARRIER_LEAVE, b, caller, r != 0 && r != PTHREAD_BARRIER_SERIAL_THREAD);
  return r;
}

void* begin_thread(void* argument) {
  ThreadLog& t = *static_cast<ThreadLog*>(argument);
  void* (*const entry)(void*) = t.entry;
  void* const its_argument = t.argument;
  begin(t);
  put(HEDDLE_EV_THREAD_START, (uint64_t)pthread_self(), (uint64_t)entry);
  return heddle_call_logged_thread(entry, its_argument);
}

int logged_pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*entry)(void*), void* argument) {
  const uint64_t caller = HEDDLE_CALLER(pthread_create);
  ThreadLog* maker = on() ? mine(HEDDLE_LOG_THREADS) : nullptr;
  ThreadLog* made = maker ? new_thread() : nullptr;
  if (!made) return HEDDLE_BEFORE(pthread_create)(handle, attributes, entry, argument);
  made->entry = entry;
  made->argument = argument;
  const uint64_t number = made->thread;
  put(*maker, HEDDLE_LOG_THREADS, HeddleLogThread{number, ++maker->children, 0, now(), HEDDLE_LOG_SITE_OF(caller)});
  put(HEDDLE_EV_THREAD_CREATE, number, caller);
  const int r = HEDDLE_BEFORE(pthread_create)(handle, attributes, begin_thread, made);
  if (r == 0) return 0;
  give_back(*made);
  put(HEDDLE_EV_THREAD_CREATE, number, caller, true);
  return r;
}

}  // namespace

void sync_recorder_start() {
  before = real;
#define X(name, ...) \
  if (real.name) real.name = reinterpret_cast<void*>(&logged_##name);
  HEDDLE_ACQUIRES(X)
  HEDDLE_RELEASES(X)
  HEDDLE_WAITS(X)
#undef X
  real.pthread_barrier_wait = reinterpret_cast<void*>(&logged_pthread_barrier_wait);
  real.pthread_create = reinterpret_cast<void*>(&logged_pthread_create);
}

}  // namespace heddle::rt::log

extern "C" void heddle_logged_thread_ends(void*) {
  using namespace heddle::rt::log;
  put(HEDDLE_EV_THREAD_EXIT, (uint64_t)pthread_self(), 0);
  end();
}
