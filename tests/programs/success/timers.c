// expect: clean
// laws: none, each run takes as long as its timers
// runs: 3
// Real-time timers end loops that sleep, yield, spin on an atomic or on plain memory: waiting for them is no livelock.
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t got;
static atomic_int got_atomic;
static void on_alarm(int signo) {
  (void)signo;
  got = 1;
  got_atomic = 1;
}
static void arm(void) {
  got = 0;
  got_atomic = 0;
  ualarm(100000, 0);
}
int main(void) {
  signal(SIGALRM, on_alarm);
  arm();
  while (!got) usleep(1000);
  arm();
  while (!got_atomic) sched_yield();
  arm();
  while (!got_atomic) {
  }
  arm();
  while (!got) {
  }
  timer_t timer;
  struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  struct itimerspec soon = {.it_value = {0, 50000000}};
  got = 0;
  if (timer_create(CLOCK_MONOTONIC, &how, &timer) || timer_settime(timer, 0, &soon, 0)) return 1;
  while (!got) usleep(1000);
  for (int i = 0; i < 52000; i++) usleep(1);  // no spinning either
  return timer_delete(timer);
}
