// expect: clean
// A thread that takes the signals of the process by sigwait, one that is sent to a thread, a queued value, sigtimedwait.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static sigset_t set;
static int hup, usr, order;
static volatile sig_atomic_t in_handler;
static pthread_t worker_thread;
static void on_usr2(int s) { in_handler = s; }
static void* takes(void* unused) {
  for (;;) {
    int signo;
    assert(sigwait(&set, &signo) == 0);
    if (signo == SIGHUP) hup++;
    if (signo == SIGUSR1) usr++;
    if (signo == SIGTERM) return unused;
  }
}
static void* works(void* unused) {
  while (!in_handler) usleep(100);
  order = 1;
  return unused;
}
int main(void) {
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  struct sigaction action = {.sa_handler = on_usr2};
  sigaction(SIGUSR2, &action, NULL);
  pthread_t t;
  pthread_create(&t, NULL, takes, NULL);
  pthread_create(&worker_thread, NULL, works, NULL);
  kill(getpid(), SIGHUP);
  pthread_kill(t, SIGUSR1);
  pthread_kill(worker_thread, SIGUSR2);
  pthread_join(worker_thread, NULL);
  kill(getpid(), SIGTERM);
  pthread_join(t, NULL);
  assert(order == 1 && hup <= 1 && usr <= 1);
  union sigval value = {.sival_int = 42};
  sigqueue(getpid(), SIGRTMIN, value);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGRTMIN);
  siginfo_t info;
  struct timespec limit = {1, 0};
  assert(sigtimedwait(&one, &info, &limit) == SIGRTMIN && info.si_value.sival_int == 42);
  limit.tv_sec = 0;
  limit.tv_nsec = 1000;
  assert(sigtimedwait(&one, &info, &limit) == -1 && errno == EAGAIN);
  return 0;
}
