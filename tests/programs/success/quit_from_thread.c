// expect: clean   _exit(0) in a thread while main waits for another one that never ends.
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void* waits(void* unused) {
  pthread_mutex_lock(&m);
  pthread_cond_wait(&c, &m);
  return unused;
}
static void* quits(void* unused) {
  _exit(0);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, waits, 0);
  pthread_create(&b, 0, quits, 0);
  pthread_join(a, 0);
  return 1;
}
