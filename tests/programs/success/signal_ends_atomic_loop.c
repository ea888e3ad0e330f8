// expect: clean
// A thread does nothing but atomic operations until a signal's handler, which runs between two of them, tells it to stop.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int stop;
static atomic_long operations;
static void on_signal(int signo) {
  (void)signo;
  atomic_store(&stop, 1);
}
static void* works(void* unused) {
  while (!atomic_load(&stop)) atomic_fetch_add(&operations, 1);
  return unused;
}
int main(void) {
  pthread_t t;
  signal(SIGUSR1, on_signal);
  pthread_create(&t, NULL, works, NULL);
  pthread_kill(t, SIGUSR1);
  pthread_join(t, NULL);
  puts("done");
  return 0;
}
