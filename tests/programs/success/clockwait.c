// expect: clean
// hunt: --time-model virtual
// Its waits are not expected to time out.
// Waits against both clocks: condition variables, mutexes, rwlocks, semaphores, joins; deadlines that passed and that do not come.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static sem_t s;
static int ready, writes;
static struct timespec in(clockid_t clock, long ms) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += ms % 1000 * 1000000;
  t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}
static void* waits(void* unused) {
  pthread_mutex_lock(&m);
  struct timespec at = in(CLOCK_MONOTONIC, 10);
  while (!ready && pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &at) == 0) {
  }
  at = in(CLOCK_REALTIME, 100000);
  while (!ready) assert(pthread_cond_clockwait(&c, &m, CLOCK_REALTIME, &at) == 0);
  at = in(CLOCK_MONOTONIC, -1);
  assert(pthread_cond_timedwait(&c, &m, &at) == ETIMEDOUT);  // made for the monotonic clock
  pthread_mutex_unlock(&m);
  return unused;
}
static void* tells(void* unused) {
  usleep(20000);
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
  sem_post(&s);
  return unused;
}
static void* writes_once(void* unused) {
  struct timespec at = in(CLOCK_REALTIME, 1);
  while (pthread_rwlock_timedwrlock(&w, &at) == ETIMEDOUT) at = in(CLOCK_REALTIME, 1);
  writes++;
  pthread_rwlock_unlock(&w);
  return unused;
}
int main(void) {
  pthread_condattr_t a;
  pthread_condattr_init(&a);
  pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
  pthread_cond_init(&c, &a);
  sem_init(&s, 0, 0);
  pthread_t t[5];
  pthread_rwlock_rdlock(&w);
  pthread_create(&t[0], NULL, waits, NULL);
  pthread_create(&t[1], NULL, waits, NULL);
  pthread_create(&t[2], NULL, tells, NULL);
  pthread_create(&t[3], NULL, writes_once, NULL);
  struct timespec soon = in(CLOCK_REALTIME, 1), late = in(CLOCK_REALTIME, 1000000);
  if (sem_timedwait(&s, &soon)) assert(errno == ETIMEDOUT);
  int taken = pthread_timedjoin_np(t[0], NULL, &soon);
  assert(taken == 0 || taken == ETIMEDOUT);
  usleep(5000);
  pthread_rwlock_unlock(&w);
  if (taken) pthread_timedjoin_np(t[0], NULL, &late);
  struct timespec far = in(CLOCK_MONOTONIC, 1000000);
  assert(pthread_clockjoin_np(t[1], NULL, CLOCK_MONOTONIC, &far) == 0);
  pthread_join(t[2], NULL);
  while (pthread_tryjoin_np(t[3], NULL) == EBUSY) usleep(10);
  pthread_mutex_trylock(&m);
  soon = in(CLOCK_MONOTONIC, 1);
  assert(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
  assert(writes == 1);
  return 0;
}
