// Two threads increment a counter without a lock (docs/tour.md).
#include <pthread.h>
#include <stdio.h>
static int hits;

static void* serve(void* unused) {
  hits++;
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, serve, 0);
  pthread_create(&b, 0, serve, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%d hits\n", hits);
  return 0;
}
