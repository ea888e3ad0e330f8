// expect: abort   The second free() is of a block that libc has merged with the free end of the heap: its header says any size.
// alone: SIGABRT
#include <pthread.h>
#include <stdlib.h>
static char* block;
static void* frees(void* unused) {
  free(block);
  return unused;
}
int main(void) {
  pthread_t t;
  block = malloc(2000);
  for (int i = 0; i < 2; i++) {
    pthread_create(&t, NULL, frees, NULL);
    pthread_join(t, NULL);
  }
  return 0;
}
