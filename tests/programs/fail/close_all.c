// expect: assertion   Nothing of the report depends on the program's descriptors.
// alone: SIGABRT
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static void* fails(void* unused) {
  close_range(0, ~0u, 0);
  assert(!"closed");
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, fails, 0);
  pthread_join(t, 0);
  return 0;
}
