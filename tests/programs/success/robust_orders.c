// expect: clean
// A thread ends while it holds a robust mutex: who gets EOWNERDEAD comes after it, by whatever function it locks. The thread is not
// joined. Who gets ENOTRECOVERABLE comes after the thread that gave the mutex up.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

static pthread_mutexattr_t robust;
static pthread_mutex_t m;
static pthread_cond_t left_waiting = PTHREAD_COND_INITIALIZER;
static int data, left;

static void* dies(void* unused) {
  assert(!pthread_mutex_lock(&m));
  data = 1;
  left = 1;
  pthread_cond_signal(&left_waiting);
  return unused;
}

static void* comes_late(void* unused) {
  int result = pthread_mutex_lock(&m);
  data++;
  if (result != ENOTRECOVERABLE) {
    assert(result == 0);  // before the others gave it up: it was made consistent
    pthread_mutex_unlock(&m);
  }
  return unused;
}

static void start_dying(void) {
  pthread_mutex_init(&m, &robust);
  left = 0;
}

static void start(void* (*entry)(void*)) {
  pthread_t t;
  pthread_create(&t, NULL, entry, NULL);
  pthread_detach(t);
}

static int lock_by(int how) {
  const struct timespec far = {1l << 33, 0};
  switch (how) {
    case 0: return pthread_mutex_lock(&m);
    case 1: return pthread_mutex_timedlock(&m, &far);
    case 2: return pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &far);
    default: return pthread_mutex_trylock(&m);
  }
}

static void lock_after_death(int how) {
  for (int result; (result = lock_by(how)) != EOWNERDEAD;) {
    if (result == 0) pthread_mutex_unlock(&m);
    sched_yield();
  }
}

int main(void) {
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  for (int how = 0; how < 4; how++) {
    start_dying();
    start(dies);
    lock_after_death(how);
    data++;
    assert(!pthread_mutex_consistent(&m));
    assert(!pthread_mutex_unlock(&m));
  }

  // A wait on a condition variable takes the mutex back, and says the same.
  start_dying();
  assert(!pthread_mutex_lock(&m));
  start(dies);
  int result = 0;
  while (!left) result = pthread_cond_wait(&left_waiting, &m);
  assert(result == EOWNERDEAD);
  data++;
  assert(!pthread_mutex_consistent(&m));
  assert(!pthread_mutex_unlock(&m));

  start_dying();
  start(dies);
  lock_after_death(0);
  data++;
  pthread_t late;
  pthread_create(&late, NULL, comes_late, NULL);
  assert(!pthread_mutex_unlock(&m));  // not made consistent
  pthread_join(late, NULL);
  assert(pthread_mutex_trylock(&m) == ENOTRECOVERABLE);
  return 0;
}
