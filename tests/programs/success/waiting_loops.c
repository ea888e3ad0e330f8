// expect: clean race   Loops that wait for a plain flag in several ways, beside a thread that computes first: all of them end.
// laws: 20 schedules, its runs have hundreds of thousands of steps where every access is a point
#include <pthread.h>
static volatile int done;
static volatile long counter;
static long n = 300000, sum;
static int __attribute__((noinline)) is_done(void) { return done; }
static void* counts(void* unused) {
  while (!done) counter++;
  return unused;
}
static void* asks(void* unused) {
  while (!is_done()) __builtin_ia32_pause();
  return unused;
}
static void* backs_off(void* unused) {
  for (;;) {
    if (is_done()) break;
    for (int i = 0; i < 50; i++) __builtin_ia32_pause();
  }
  return unused;
}
static void* computes(void* unused) {
  for (long i = 0; i < n; i++) sum += i;
  done = 1;
  return unused;
}
int main(void) {
  void* (*const all[])(void*) = {counts, asks, backs_off, computes};
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, all[i], 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  return 0;
}
