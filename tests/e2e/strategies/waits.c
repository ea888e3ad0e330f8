// Threads that wait in a system call: they do not yield, and they do not spin.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void* adds(void* u) { return pthread_mutex_lock(&m), n++, pthread_mutex_unlock(&m), u; }
static void timer(void) {
  int fd = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec soon = {{0, 0}, {0, 5000000}};
  timerfd_settime(fd, 0, &soon, 0);
  pthread_t t;
  pthread_create(&t, 0, adds, 0);
  uint64_t times;
  (void)!read(fd, &times, sizeof times);
  adds(0);
  pthread_join(t, 0);
}
static sem_t s;
static sigset_t second;
static void handle(int number) { sem_post(&s); }
static void* waits(void* u) {
  int number;
  return sigwait(&second, &number), u;
}
static void* takes(void* u) {
  while (sem_wait(&s) < 0) {
  }
  return u;
}
static void signals(void) {
  sem_init(&s, 0, 0);
  signal(SIGUSR1, handle);
  sigemptyset(&second), sigaddset(&second, SIGUSR2), pthread_sigmask(SIG_BLOCK, &second, 0);
  pthread_t t, u;
  pthread_create(&t, 0, waits, 0), pthread_create(&u, 0, takes, 0);
  kill(getpid(), SIGUSR2), pthread_kill(u, SIGUSR1);
  pthread_join(t, 0), pthread_join(u, 0);
}
int main(int count, char** words) {
  if (!strcmp(words[1], "timer")) timer();
  if (!strcmp(words[1], "signal")) signals();
  return 0;
}
