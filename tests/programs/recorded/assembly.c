// expect: clean race
// Additions in inline assembly, which are not atomic, by three threads: how many were lost is printed, and is the same in the replay of a
// recording.
#include <pthread.h>
#include <stdio.h>
static long count;
static void* adds(void* p) {
  for (int i = 0; i < 20000; i++) __asm__ volatile("incq %0" : "+m"(count)::"cc");
  return p;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, adds, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  printf("%ld\n", count);
  return 0;
}
