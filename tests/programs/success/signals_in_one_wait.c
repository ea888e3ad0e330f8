// expect: clean
// runs: 4
// A timer's signals interrupt the same pthread_join() again and again: each comes at a step of its own.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static int alarms;
static void on_alarm(int signal) { __atomic_fetch_add(&alarms, signal == SIGALRM, __ATOMIC_SEQ_CST); }

static void* sleeper(void* unused) {
  (void)unused;
  for (int i = 0; i < 20; i++) usleep(150);
  return 0;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, 0);
  struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, 0);
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, sleeper, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  setitimer(ITIMER_REAL, &never, 0);
  return 0;
}
