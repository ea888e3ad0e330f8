// expect: signal   SIGALRM from the kernel, with the default action, while everybody waits.
// alone: SIGALRM
// laws: none, each run takes as long as the alarm
#include <pthread.h>
#include <unistd.h>
static void* waits(void* unused) {
  for (;;) pause();
  return unused;
}
int main(void) {
  pthread_t t;
  ualarm(200000, 0);
  pthread_create(&t, 0, waits, 0);
  pthread_join(t, 0);
  return 0;
}
