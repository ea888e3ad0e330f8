// expect: assertion   The handler of a timer of 100 ms runs before main has published what it uses.
// runs: 500
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
static int* volatile table;
static volatile sig_atomic_t fired, too_soon;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void on_timer(int signo) {
  (void)signo;
  fired = 1;
  if (!table) too_soon = 1;
}
static void* worker(void* unused) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
  }
  return unused;
}
int main(void) {
  signal(SIGALRM, on_timer);
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  struct itimerval once = {.it_value = {0, 100000}};
  setitimer(ITIMER_REAL, &once, 0);
  for (int i = 0; i < 3; i++) {  // "quick enough"
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
  }
  table = calloc(4, sizeof *table);
  pthread_join(t, 0);
  while (!fired) pause();
  assert(!too_soon);
  return 0;
}
