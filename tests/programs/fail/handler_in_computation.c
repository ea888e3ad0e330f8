// expect: assertion   A handler runs between two volatile stores of the thread that it interrupts, which computes meanwhile.
// tsan: none, gcc does not tell volatile accesses from others there
// laws: 20 schedules, a million accesses each
#include <assert.h>
#include <pthread.h>
#include <signal.h>
static volatile int a, b;
static int bad;
static pthread_t target;
static void compares(int signo) {
  (void)signo;
  if (a != b) bad = 1;
}
static void* sends(void* unused) {
  pthread_kill(target, SIGUSR1);
  return unused;
}
int main(void) {
  pthread_t t;
  target = pthread_self();
  signal(SIGUSR1, compares);
  pthread_create(&t, NULL, sends, NULL);
  a = 1;
  for (volatile int i = 0; i < 300000; i++) {
  }
  b = 1;
  pthread_join(t, NULL);
  assert(!bad);
  return 0;
}
