// expect: clean race
// tsan: none, without branch hooks such a loop counts as a computation, in which virtual time hardly passes
// Two threads do nothing but count until a timer's handler, in whichever of them, has run three times.
// runs: 20
// laws: 50 schedules, tens of thousands of steps each
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile sig_atomic_t ticks;
static volatile long work;
static void on_tick(int signo) {
  (void)signo;
  ticks++;
}
static void* counts(void* unused) {
  while (ticks < 3) work++;
  return unused;
}
int main(void) {
  struct sigaction action = {.sa_handler = on_tick};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 2000}, {0, 2000}};
  setitimer(ITIMER_REAL, &often, NULL);
  pthread_t t;
  pthread_create(&t, NULL, counts, NULL);
  while (ticks < 3) work++;
  pthread_join(t, NULL);
  puts("done");
  return 0;
}
