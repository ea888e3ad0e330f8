// expect: clean   A stack overflow is handled on the program's own alternate stack and left by siglongjmp.
// laws: 10 schedules, each overflows a stack of 8 MiB
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
static __thread sigjmp_buf back;
static void on_fault(int signo) {
  (void)signo;
  siglongjmp(back, 1);
}
static int deep(volatile int n) {
  volatile int pad[100];
  pad[n % 100] = n;
  return n < 0 ? 0 : deep(n + 1) + pad[n % 100];
}
static void* recurses(void* unused) {
  stack_t own = {.ss_sp = malloc(65536), .ss_size = 65536}, old;
  assert(sigaltstack(&own, 0) == 0);
  for (volatile int i = 0; i < 2; i++)
    if (!sigsetjmp(back, 1)) deep(0);
  assert(sigaltstack(0, &old) == 0 && old.ss_sp == own.ss_sp);
  return unused;
}
int main(void) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_handler = on_fault;
  a.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &a, 0);
  pthread_t t;
  pthread_create(&t, 0, recurses, 0);
  pthread_join(t, 0);
  return 0;
}
