// expect: deadlock   A normal mutex locked twice by the same thread.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* twice(void* unused) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, twice, 0);
  pthread_join(t, 0);
  return 0;
}
