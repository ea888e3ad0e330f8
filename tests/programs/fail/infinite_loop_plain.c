// expect: hang   A loop that our compiler never saw (inline assembly).
// laws: none, each run takes as long as the time-out
// options: hang_timeout=2s
#include <pthread.h>
static void* loops(void* unused) {
  __asm__ volatile("1: pause\n jmp 1b");
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, loops, 0);
  pthread_join(t, 0);
  return 0;
}
