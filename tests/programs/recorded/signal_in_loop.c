// expect: clean race
// A thread that only computes is sent signals: each handler sees how far it had come, and sees the same in the replay of a recording.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
static volatile sig_atomic_t ticks;
static volatile long progress;
static long at[8];
static void on_tick(int signo) {
  (void)signo;
  if (ticks < 8) at[ticks] = progress;
  ticks++;
}
static void* busy(void* unused) {
  while (ticks < 8) progress++;
  return unused;
}
int main(void) {
  struct sigaction action = {.sa_handler = on_tick};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t t;
  pthread_create(&t, NULL, busy, NULL);
  for (int i = 0; i < 8; i++) {
    pthread_kill(t, SIGUSR1);
    while (ticks <= i) {
    }
  }
  pthread_join(t, NULL);
  for (int i = 0; i < 8; i++) printf("%ld ", at[i]);
  puts("");
  return 0;
}
