// expect: deadlock   A signal that comes before its thread waits is lost: then nobody ends pause(), and nobody the poll() without time-out.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static int ends[2];
static volatile sig_atomic_t seen;
static void on_usr1(int signo) { seen = signo; }
static void* polls(void* unused) {
  struct pollfd p = {ends[0], POLLIN, 0};
  poll(&p, 1, -1);
  return unused;
}
static void* pauses(void* unused) {
  if (!seen) pause();
  (void)!write(ends[1], "x", 1);
  return unused;
}
int main(void) {
  signal(SIGUSR1, on_usr1);
  if (pipe(ends)) return 0;
  pthread_t a, b;
  pthread_create(&a, 0, polls, 0);
  pthread_create(&b, 0, pauses, 0);
  pthread_kill(b, SIGUSR1);
  pthread_join(b, 0);
  pthread_join(a, 0);
  return 0;
}
