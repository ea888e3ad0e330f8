// expect: abort   What is freed never was a block of the heap.
// alone: SIGABRT
// cflags: -Wno-free-nonheap-object
#include <pthread.h>
#include <stdlib.h>
static void* frees(void* unused) {
  struct {
    _Alignas(16) volatile unsigned long before[2];  // where a block would say its size: far more than there is
    char bytes[64];
  } local = {{0, 0x10000000001}, {0}};
  char* volatile p = local.bytes;
  free(p);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, frees, NULL);
  pthread_join(t, NULL);
  return 0;
}
