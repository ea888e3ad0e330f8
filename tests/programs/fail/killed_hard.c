// expect: signal   SIGKILL leaves no time for a report: the trace is there all the same.
// alone: SIGKILL
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* kills(void* unused) {
  pthread_mutex_lock(&m);
  kill(getpid(), SIGKILL);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, kills, 0);
  pthread_join(t, 0);
  return 0;
}
