// expect: clean race
// main looks at what three threads count and ends the process while they go on: what it saw is what a recording replays.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile long counted;
static void* counts(void* unused) {
  for (;;) counted++;
  return unused;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, counts, NULL);
  usleep(20000);
  printf("%ld\n", counted);
  return 0;
}
