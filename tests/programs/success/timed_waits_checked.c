// expect: clean   Time-outs that may fire at any time, in a program that is ready for each of them; time never goes back.
// runs: 300
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int items, done;
static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}
static void* consumer(void* unused) {
  long long last = now();
  pthread_mutex_lock(&m);
  for (int taken = 0; taken < 3;) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += 1;
    long long before = now();
    int error = items ? 0 : pthread_cond_timedwait(&c, &m, &at);
    if (error == ETIMEDOUT && now() - before < 900000000ll) abort();  // a time-out takes its time
    if (now() < last) abort();
    last = now();
    if (items) items--, taken++;
  }
  done = 1;
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, consumer, 0);
  for (int i = 0; i < 3; i++) {
    long long before = now();
    usleep(2000);
    if (now() - before < 2000000ll) abort();
    pthread_mutex_lock(&m);
    items++;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
  }
  pthread_join(t, 0);
  return !done;
}
