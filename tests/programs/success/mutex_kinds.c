// expect: clean
// Robust, priority-inheriting, priority-protected, error-checking, recursive and adaptive mutexes.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t robust, inherits, checks, recursive, adaptive, both;
static int shared[6];
static pthread_mutex_t* make(pthread_mutex_t* m, int type, int protocol, int robustness) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, type);
  pthread_mutexattr_setprotocol(&a, protocol);
  pthread_mutexattr_setrobust(&a, robustness);
  if (pthread_mutex_init(m, &a)) abort();
  pthread_mutexattr_destroy(&a);
  return m;
}
static void* dies(void* m) {
  if (pthread_mutex_lock(m) == EOWNERDEAD) pthread_mutex_consistent(m);
  return NULL;  // and does not unlock
}
static void* works(void* unused) {
  int e = pthread_mutex_lock(&robust);
  if (e == EOWNERDEAD) assert(pthread_mutex_consistent(&robust) == 0);
  else assert(e == 0);
  shared[0]++;
  assert(pthread_mutex_unlock(&robust) == 0);

  pthread_mutex_lock(&inherits);
  shared[1]++;
  pthread_mutex_unlock(&inherits);

  assert(pthread_mutex_unlock(&checks) == EPERM);
  pthread_mutex_lock(&checks);
  assert(pthread_mutex_lock(&checks) == EDEADLK && pthread_mutex_trylock(&checks) == EBUSY);
  shared[2]++;
  pthread_mutex_unlock(&checks);

  pthread_mutex_lock(&recursive);
  assert(pthread_mutex_trylock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
  shared[3]++;
  for (int i = 0; i < 3; i++) assert(pthread_mutex_unlock(&recursive) == 0);
  assert(pthread_mutex_unlock(&recursive) == EPERM);

  while (pthread_mutex_trylock(&adaptive)) sched_yield();
  shared[4]++;
  pthread_mutex_unlock(&adaptive);

  e = pthread_mutex_lock(&both);
  if (e == EOWNERDEAD) pthread_mutex_consistent(&both);
  shared[5]++;
  pthread_mutex_unlock(&both);
  return unused;
}
int main(void) {
  make(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
  make(&inherits, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
  make(&checks, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  make(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
  make(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  make(&both, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_ROBUST);
  pthread_t t[4];
  pthread_create(&t[0], NULL, dies, &robust);
  pthread_create(&t[1], NULL, dies, &both);
  pthread_create(&t[2], NULL, works, NULL);
  pthread_create(&t[3], NULL, works, NULL);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  int e = pthread_mutex_lock(&robust);  // nobody may have come after the dead one
  assert(e == 0 || e == EOWNERDEAD);
  assert(shared[1] == 2 && shared[2] == 2 && shared[3] == 2 && shared[4] == 2);
  if (e == EOWNERDEAD) {
    pthread_mutex_unlock(&robust);  // given up for good
    assert(pthread_mutex_lock(&robust) == ENOTRECOVERABLE);
  } else {
    pthread_mutex_unlock(&robust);
  }
  assert(pthread_mutex_destroy(&checks) == 0);
  return 0;
}
