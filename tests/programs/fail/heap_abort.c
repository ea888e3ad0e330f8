// expect: abort   libc notices a double free.
// alone: SIGABRT
#include <pthread.h>
#include <stdlib.h>
static void* frees(void* unused) {
  void* volatile p = malloc(2000);
  void* volatile keep = malloc(2000);
  free(p);
  free(p);
  free(keep);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, frees, 0);
  pthread_join(t, 0);
  return 0;
}
