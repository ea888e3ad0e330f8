// expect: deadlock   Two locks in two orders, beside a thread that polls; a thread that tries with a time-out is no part of it.
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void* watchdog(void* unused) {
  for (;;) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec++;
    if (pthread_mutex_timedlock(&a, &at) == 0) pthread_mutex_unlock(&a);
    sleep(1);
  }
  return unused;
}
static void* forth(void* unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}
static void* back(void* unused) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return unused;
}
int main(void) {
  pthread_t dog, x, y;
  pthread_create(&dog, 0, watchdog, 0);
  pthread_create(&x, 0, forth, 0);
  pthread_create(&y, 0, back, 0);
  pthread_join(x, 0);
  pthread_join(y, 0);
  return 0;
}
