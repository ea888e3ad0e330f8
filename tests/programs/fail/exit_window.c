// expect: assertion   A detached thread runs after the last handler of exit(), before the process is gone.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int alive = 1;
static void* uses(void* unused) {
  pthread_mutex_lock(&lock);
  assert(alive);
  pthread_mutex_unlock(&lock);
  return unused;
}
static void shut_down(void) {
  pthread_mutex_lock(&lock);
  alive = 0;
  pthread_mutex_unlock(&lock);
}
int main(void) {
  pthread_t t;
  atexit(shut_down);
  pthread_create(&t, 0, uses, 0);
  pthread_detach(t);
  return 0;
}
