// expect: assertion   A handler runs between two atomic stores of the thread that it interrupts.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
static _Atomic int a, b;
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
  b = 1;
  pthread_join(t, NULL);
  assert(!bad);
  return 0;
}
