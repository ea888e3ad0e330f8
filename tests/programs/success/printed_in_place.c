// expect: clean race
// runs: 4
// tsan: none, calls of libc have no hooks
// Two threads print into one buffer while a third one looks at it: what it sees half-written is part of a recording too.
#include <pthread.h>
#include <stdio.h>
static char last[64];
static int posted;
static void* posts(void* n) {
  for (int i = 0; i < 100; i++) {
    snprintf(last, sizeof last, "%ld-%d", (long)n, i);
    __atomic_fetch_add(&posted, 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}
int main(void) {
  pthread_t t[2];
  for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, posts, (void*)i);
  unsigned long seen = 0;
  while (__atomic_load_n(&posted, __ATOMIC_SEQ_CST) < 200) seen = seen * 31 + (unsigned char)last[0] + (unsigned char)last[2];
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  printf("%lx %s\n", seen, last);
  return 0;
}
