// expect: clean   The program handles its own faults and leaves the handler by siglongjmp, in two threads.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
static __thread sigjmp_buf back;
static __thread int faults;
static void on_fault(int signo) {
  (void)signo;
  faults++;
  siglongjmp(back, 1);
}
static void* touches(void* where) {
  for (volatile int i = 0; i < 3; i++)
    if (!sigsetjmp(back, 1)) *(volatile int*)where = 1;
  assert(faults == 3);
  return where;
}
int main(void) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_handler = on_fault;
  sigaction(SIGSEGV, &a, 0);
  pthread_t x, y;
  pthread_create(&x, 0, touches, (void*)16);
  pthread_create(&y, 0, touches, (void*)64);
  pthread_join(x, 0);
  pthread_join(y, 0);
  return 0;
}
