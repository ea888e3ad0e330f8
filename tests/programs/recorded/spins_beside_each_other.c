// expect: clean race   cflags: -O1
// Threads read flags that all of them may read at once, for longer than one budget of hooks; where the budget ends depends on no state of memory. A
// replay came to another place when the flag was shared (2026-11-18).
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
static volatile bool first, second, third;
static volatile long turns[3];
static void* tells(void* unused) {
  while (!first) turns[0]++;
  second = true;
  while (!third) {
  }
  return unused;
}
static void* answers(void* unused) {
  for (int i = 0; i < 3000000; i++)
    if (third) break;
  first = true;
  while (!second) {
  }
  for (int i = 0; i < 3000000; i++)
    if (third) break;
  third = true;
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, tells, 0);
  pthread_create(&b, 0, answers, 0);
  while (!third) {
  }
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%d\n", turns[0] >= 0);
  return 0;
}
