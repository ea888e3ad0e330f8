// expect: fpe   Division by zero in a thread.
// alone: SIGFPE
#include <pthread.h>
static volatile int zero;
static void* divides(void* unused) {
  zero = 7 / zero;
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, divides, 0);
  pthread_join(t, 0);
  return 0;
}
