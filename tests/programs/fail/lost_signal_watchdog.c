// expect: deadlock   A lost signal, beside a thread that never stops looking whether all is well.
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;
static void* watchdog(void* unused) {
  for (;;) sleep(1);
  return unused;
}
static void* waits(void* unused) {
  pthread_mutex_lock(&mutex);
  int seen = ready;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  if (!seen) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void* tells(void* unused) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  pthread_t dog, a, b;
  pthread_create(&dog, 0, watchdog, 0);
  pthread_create(&a, 0, waits, 0);
  pthread_create(&b, 0, tells, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
