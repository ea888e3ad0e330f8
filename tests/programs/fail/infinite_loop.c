// expect: livelock   A loop without anything that other threads could see.
// tsan: none, no hooks on branches: a loop without accesses is a hang
// laws: none, with every access a point each run has millions of steps
#include <pthread.h>
static void* loops(void* unused) {
  for (volatile unsigned i = 0;; i++) {
  }
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, loops, 0);
  pthread_join(t, 0);
  return 0;
}
