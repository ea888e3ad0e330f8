// expect: livelock   A thread waits for a plain flag that nobody sets: no step bound is needed to see that.
// tsan: none, no hooks on branches: that it spins is not proved
// laws: none, with every access a point each run has millions of steps
#include <pthread.h>
#include <stdbool.h>
static bool flag;
static int value;
static bool is_set(void) {
  int copy = value;
  return flag || copy > 7;
}
static void* waits(void* unused) {
  while (!is_set()) __builtin_ia32_pause();
  return unused;
}
static void* computes(void* unused) {
  for (volatile int i = 0; i < 1000000; i++) value = i % 7;
  return unused;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, waits, 0);
  pthread_create(&b, 0, waits, 0);
  pthread_create(&c, 0, computes, 0);
  pthread_join(c, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
