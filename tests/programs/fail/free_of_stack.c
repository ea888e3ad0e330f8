// expect: abort   What is freed never was a block of the heap.
// alone: SIGABRT
// cflags: -Wno-free-nonheap-object
#include <pthread.h>
#include <stdlib.h>
static void* frees(void* unused) {
  _Alignas(16) volatile unsigned long local[8] = {0x10000000001};  // where a block would say its size: far more than there is
  void* volatile p = (void*)&local[1];                             // and no block begins at such an address
  free(p);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, frees, NULL);
  pthread_join(t, NULL);
  return 0;
}
