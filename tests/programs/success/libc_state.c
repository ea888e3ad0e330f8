// expect: clean
// Threads share what libc keeps behind their back: the state of rand(), a FILE, the environment. Values depend on who comes first; a
// replay has the same.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static void* draws(void* p) {
  unsigned sum = 0;
  for (int i = 0; i < 40; i++) {
    sum = sum * 31 + (unsigned)rand();
    if (i % 10 == 0) printf("%ld: %u\n", (long)p, sum);
  }
  char text[32];
  snprintf(text, sizeof text, "%u", sum);
  setenv("LAST", text, 1);
  time_t now = 86400 * (time_t)(long)p;
  struct tm broken;
  struct tm* t = localtime_r(&now, &broken);
  printf("%ld: %s %d\n", (long)p, getenv("LAST") ? "set" : "not set", t ? t->tm_year : 0);
  return 0;
}
int main(void) {
  pthread_t t[3];
  srand(7);
  printf("%d\n", (int)getpid());  // no two runs alone write the same
  for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, draws, (void*)i);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  printf("%s\n", getenv("LAST"));
  return 0;
}
