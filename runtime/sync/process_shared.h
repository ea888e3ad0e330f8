// Process-shared primitives once there is another process: the real ones, outside control like blocking I/O.
#pragma once
#include <pthread.h>
#include <semaphore.h>

#include "runtime/sync/model.h"

namespace heddle::rt {

/// fork() was called: what is shared with the child is no longer the model's.
extern bool process_shared_is_real;
/// Before the child is made: shared primitives get the state that the model has for them.
void process_shared_to_memory();
/// Should this object be left to libc? (Whatever its kind is: the model has not changed the program's memory.)
inline bool is_process_shared(const pthread_mutex_t* m) { return m->__data.__kind & 128; }
inline bool is_process_shared(const pthread_cond_t* c) { return c->__data.__wrefs & 1; }
inline bool is_process_shared(const sem_t* s) { return reinterpret_cast<const uint32_t*>(s)[2] != 0; }
inline bool is_process_shared(const pthread_barrier_t* b) { return reinterpret_cast<const uint32_t*>(b)[3] != 0; }
template <class T>
inline bool is_outside(const T* object) {
  return HEDDLE_UNLIKELY(process_shared_is_real) && is_process_shared(object);
}
/// The same time in reality: `at` is a time of the virtual clock.
timespec in_real_time(clockid_t clock, const timespec* at);

/// `call(argument)` is a call of libc that may block: outside control, its result (an error number) is an input.
int outside_call(uint32_t site, int (*call)(void*), void* argument);

/// As above, for a lambda.
template <class F>
int outside(uint32_t site, F f) {
  return outside_call(site, [](void* p) { return (*static_cast<F*>(p))(); }, &f);
}

}  // namespace heddle::rt
