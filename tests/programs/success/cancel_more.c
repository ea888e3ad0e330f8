// expect: clean   Cancelled before it runs, twice, by itself, in timed waits, inside once; nested cleanup handlers.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t s;
static _Atomic int inits;
static int order[2], cleaned;
static void first(void* unused) { (void)unused, order[cleaned++] = 1; }
static void second(void* unused) { (void)unused, order[cleaned++] = 2; }
static void* timed(void* unused) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  at.tv_sec += 1000;
  pthread_cleanup_push(first, 0);
  pthread_cleanup_push(second, 0);
  sem_timedwait(&s, &at);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return unused;
}
static void* itself(void* unused) {
  pthread_cancel(pthread_self());
  pthread_testcancel();
  return unused;
}
static void unlock(void* mutex) { pthread_mutex_unlock(mutex); }
static void* timed_wait(void* unused) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  at.tv_sec += 1000;
  pthread_mutex_lock(&m);
  pthread_cleanup_push(unlock, &m);
  for (;;) pthread_cond_timedwait(&c, &m, &at);
  pthread_cleanup_pop(1);
  return unused;
}
static void init(void) {
  if (inits++ == 0)
    for (;;) sleep(1000);
}
static void* in_once(void* unused) {
  pthread_once(&once, init);
  return unused;
}
static void end(pthread_t t) {
  void* result = 0;
  assert(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
}
int main(void) {
  pthread_t a, b;
  sem_init(&s, 0, 0);
  pthread_create(&a, 0, timed, 0);
  pthread_cancel(a);
  pthread_cancel(a);
  end(a);
  assert(cleaned == 0 || (cleaned == 2 && order[0] == 2 && order[1] == 1));
  pthread_create(&a, 0, itself, 0);
  end(a);
  pthread_create(&a, 0, timed_wait, 0);
  pthread_cancel(a);
  end(a);
  pthread_create(&a, 0, in_once, 0);
  while (!inits) usleep(1);
  pthread_cancel(a);
  pthread_create(&b, 0, in_once, 0);
  end(a);
  pthread_join(b, 0);
  assert(inits == 2);
  return 0;
}
