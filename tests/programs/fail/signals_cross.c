// expect: assertion   Signals between threads, one that is handled and one that is waited for: in which order they come is not said.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static volatile sig_atomic_t order, handled, taken;
static pthread_t waiter, worker;
static sigset_t set;
static void on_usr2(int signo) {
  (void)signo;
  handled = ++order;
}
static void* waits(void* unused) {
  int signo;
  sigwait(&set, &signo);
  taken = ++order;
  pthread_kill(worker, SIGUSR2);
  return unused;
}
static void* works(void* unused) {
  sigset_t none, old;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, 0, &old);
  sigdelset(&old, SIGUSR2);
  while (!handled) sigsuspend(&old);
  return unused;
}
int main(void) {
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigset_t both = set;
  sigaddset(&both, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &both, 0);
  signal(SIGUSR2, on_usr2);
  pthread_create(&worker, 0, works, 0);
  pthread_create(&waiter, 0, waits, 0);
  pthread_kill(waiter, SIGUSR1);
  pthread_kill(worker, SIGUSR2);
  pthread_join(waiter, 0);
  pthread_join(worker, 0);
  assert(handled != 1);
  return 0;
}
