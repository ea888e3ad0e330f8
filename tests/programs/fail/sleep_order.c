// expect: assertion   A sleep is no synchronisation: the worker may be slower than 500 us.
// runs: 200
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* worker(void* unused) {
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  usleep(500);
  pthread_mutex_lock(&m);
  assert(ready);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  return 0;
}
