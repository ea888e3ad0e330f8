// Two threads count a million votes each without a lock; how many are lost differs from run to run (docs/tour.md).
#include <pthread.h>
#include <stdio.h>
static int votes;

static void* count(void* unused) {
  for (int i = 0; i < 1000000; i++) votes++;
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, count, 0);
  pthread_create(&b, 0, count, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%d votes\n", votes);
  return 0;
}
