// expect: clean   A robust mutex whose owner dies is made consistent by the next one, or becomes unusable.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t m;
static void* dies(void* unused) {
  int r = pthread_mutex_lock(&m);
  if (r == EOWNERDEAD) pthread_mutex_consistent(&m);
  return unused;
}
int main(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&m, &a);
  pthread_t x, y;
  pthread_create(&x, 0, dies, 0);
  pthread_create(&y, 0, dies, 0);
  pthread_join(x, 0);
  pthread_join(y, 0);
  assert(pthread_mutex_lock(&m) == EOWNERDEAD);
  assert(pthread_mutex_unlock(&m) == 0);
  assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE);
  return 0;
}
