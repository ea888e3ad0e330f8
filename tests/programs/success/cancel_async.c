// expect: clean   A thread that computes without any cancellation point is cancelled asynchronously.
// tsan: none, no hooks in a loop of registers
// laws: 15 schedules, each has some 200,000 accesses
#include <assert.h>
#include <pthread.h>
static volatile int started;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void* computes(void* unused) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
  pthread_mutex_lock(&m);
  started = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  for (volatile unsigned i = 0;; i++) {
  }
  return unused;
}
int main(void) {
  pthread_t t;
  void* result = 0;
  pthread_create(&t, 0, computes, 0);
  pthread_mutex_lock(&m);
  while (!started) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  pthread_cancel(t);
  pthread_join(t, &result);
  assert(result == PTHREAD_CANCELED);
  return 0;
}
