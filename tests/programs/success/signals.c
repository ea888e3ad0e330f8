// expect: clean   Handlers of raise, kill and pthread_kill; a thread in sigwait; SIGPIPE ignored.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
static volatile sig_atomic_t usr1, usr2;
static sem_t ready;
static void on_usr(int signo) {
  if (signo == SIGUSR1) usr1++;
  if (signo == SIGUSR2) usr2++;
}
static void* waits(void* unused) {
  sigset_t set;
  int signo = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sem_post(&ready);
  assert(sigwait(&set, &signo) == 0 && signo == SIGTERM);
  return unused;
}
int main(void) {
  sigset_t set;
  int ends[2];
  sem_init(&ready, 0, 0);
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  signal(SIGUSR1, on_usr);
  signal(SIGUSR2, on_usr);
  signal(SIGPIPE, SIG_IGN);
  pthread_t t;
  pthread_create(&t, 0, waits, 0);
  raise(SIGUSR1);
  assert(usr1 == 1);
  kill(getpid(), SIGUSR1);
  pthread_kill(pthread_self(), SIGUSR2);
  assert(usr1 == 2 && usr2 == 1);
  assert(pipe(ends) == 0);
  close(ends[0]);
  assert(write(ends[1], "x", 1) == -1);
  sem_wait(&ready);
  kill(getpid(), SIGTERM);
  pthread_join(t, 0);
  return 0;
}
