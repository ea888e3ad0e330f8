// expect: clean
// runs: 4
// A timer's signal comes while threads start, end, sleep and are joined: each handler that ran is in a recording, and runs again.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>
static volatile sig_atomic_t alarms;
static void on_alarm(int signo) {
  (void)signo;
  __atomic_fetch_add(&alarms, 1, __ATOMIC_RELAXED);
}
static void* naps(void* unused) {
  for (int i = 0; i < 10; i++) usleep(150);
  return unused;
}
int main(void) {
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 500}, {0, 500}}, off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, NULL);
  for (int round = 0; round < 3; round++) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, naps, NULL);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  }
  setitimer(ITIMER_REAL, &off, NULL);
  printf("alarms %d\n", (int)alarms);
  return 0;
}
