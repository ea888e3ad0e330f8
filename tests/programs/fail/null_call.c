// expect: segfault   A call through a null pointer, and through one into data.
// alone: SIGSEGV
#include <pthread.h>
static void (*volatile nothing)(void);
static void* calls(void* unused) {
  nothing();
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, calls, 0);
  pthread_join(t, 0);
  return 0;
}
