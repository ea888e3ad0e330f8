// expect: hang   A thread waits for a signal through a descriptor: the kernel knows who might send one, the model does not.
// options: hang_timeout=1s
// laws: none, each run takes as long as the time-out
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>
static int signals;
static void* reads(void* unused) {
  struct signalfd_siginfo info;
  (void)!read(signals, &info, sizeof info);
  return unused;
}
int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  signals = signalfd(-1, &set, 0);
  pthread_t t;
  pthread_create(&t, 0, reads, 0);
  reads(0);
  pthread_join(t, 0);
  return 0;
}
