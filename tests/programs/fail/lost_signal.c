// expect: deadlock   The flag is tested without the mutex: a signal in between is lost.
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int ready;
static void* waits(void* unused) {
  if (!ready) {
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
  }
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, waits, 0);
  ready = 1;
  pthread_cond_signal(&c);
  pthread_join(t, 0);
  return 0;
}
