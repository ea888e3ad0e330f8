// Depends on something that nobody controls: from a moment on (argv[1], on the processor's own clock) it takes the other lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t early = PTHREAD_MUTEX_INITIALIZER, late = PTHREAD_MUTEX_INITIALIZER;
static unsigned long ticks(void) {
  unsigned low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (unsigned long)high << 32 | low;
}
static void* work(void* moment) {
  if (ticks() < *(unsigned long*)moment) {
    pthread_mutex_lock(&early);  // expected
    pthread_mutex_unlock(&early);
  } else {
    pthread_mutex_lock(&late);  // actual
    pthread_mutex_unlock(&late);
  }
  return 0;
}
int main(int argc, char** argv) {
  if (argc < 2) {
    printf("%lu\n", ticks());
    return 0;
  }
  unsigned long moment = strtoul(argv[1], 0, 10);
  pthread_t t;
  pthread_create(&t, 0, work, &moment);
  pthread_join(t, 0);
  return 1;
}
