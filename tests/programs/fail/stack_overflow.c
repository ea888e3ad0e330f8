// expect: segfault   Endless recursion in a thread: the report needs no stack of the program's.
// laws: 30 schedules, each overflows a stack of 8 MiB
// alone: SIGSEGV
#include <pthread.h>
static int deep(volatile int n) {
  volatile int pad[100];
  pad[n % 100] = n;
  return deep(n + 1) + pad[n % 100];
}
static void* recurses(void* unused) {
  deep(0);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, recurses, 0);
  pthread_join(t, 0);
  return 0;
}
