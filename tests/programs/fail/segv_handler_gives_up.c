// expect: segfault   The program's handler looks, gives the signal back to the default, and returns.
#include <pthread.h>
#include <signal.h>
static void on_fault(int signo) { signal(signo, SIG_DFL); }
static void* touches(void* unused) {
  *(volatile int*)16 = 1;
  return unused;
}
int main(void) {
  signal(SIGSEGV, on_fault);
  pthread_t t;
  pthread_create(&t, 0, touches, 0);
  pthread_join(t, 0);
  return 0;
}
