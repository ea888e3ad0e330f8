// expect: clean   semaphores, barriers, once and rwlocks.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static pthread_barrier_t b;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int inits, serial, n;
static void init(void) { inits++; }
static void* work(void* unused) {
  pthread_once(&once, init);
  sem_wait(&s);
  if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) serial++;
  pthread_rwlock_rdlock(&l);
  int seen = n;
  pthread_rwlock_unlock(&l);
  pthread_rwlock_wrlock(&l);
  n++;
  assert(n > seen);
  pthread_rwlock_unlock(&l);
  return unused;
}
int main(void) {
  pthread_t t[3];
  sem_init(&s, 0, 0);
  pthread_barrier_init(&b, 0, 3);
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 3; i++) sem_post(&s);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  assert(inits == 1 && serial == 1 && n == 3);
  return 0;
}
