// expect: clean
// Order that comes with a signal, the end of a pipe and a request for cancellation, and nothing else.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static int data, ends[2];
static atomic_int handled;

static void* waits_for_signal(void* unused) {
  sigset_t set;
  int number;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigwait(&set, &number);
  data++;
  return unused;
}
static void by_sigwait(void) {
  sigset_t set;
  pthread_t t;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_create(&t, NULL, waits_for_signal, NULL);
  data = 1;
  pthread_kill(t, SIGUSR1);
  pthread_join(t, NULL);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void handler(int number) {
  (void)number;
  data++;
  atomic_store(&handled, 1);
}
static void* is_interrupted(void* unused) {
  while (!atomic_load(&handled)) sched_yield();
  return unused;
}
static void by_handler(void) {
  pthread_t t;
  struct sigaction action = {.sa_handler = handler};
  pthread_create(&t, NULL, is_interrupted, NULL);
  data = 2;
  sigaction(SIGUSR2, &action, NULL);
  pthread_kill(t, SIGUSR2);
  pthread_join(t, NULL);
}

static void* sends(void* unused) {
  data = 3;
  kill(getpid(), SIGUSR2);
  return unused;
}
static void by_sigsuspend(void) {
  sigset_t set, before;
  pthread_t t;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  pthread_create(&t, NULL, sends, NULL);
  sigsuspend(&before);
  data++;
  pthread_join(t, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void* closes(void* unused) {
  data = 4;
  close(ends[1]);
  return unused;
}
static void by_end_of_pipe(void) {
  pthread_t t;
  char byte;
  if (pipe(ends)) abort();
  pthread_create(&t, NULL, closes, NULL);
  if (read(ends[0], &byte, 1) != 0) abort();
  data++;
  pthread_join(t, NULL);
  close(ends[0]);
}

static void cleans(void* unused) {
  (void)unused;
  data++;
}
static void* is_cancelled(void* unused) {
  pthread_cleanup_push(cleans, NULL);
  pause();
  pthread_cleanup_pop(0);
  return unused;
}
static void by_cancellation(void) {
  pthread_t t;
  pthread_create(&t, NULL, is_cancelled, NULL);
  data = 5;
  pthread_cancel(t);
  pthread_join(t, NULL);
}

int main(void) {
  by_sigwait();
  by_handler();
  by_sigsuspend();
  by_end_of_pipe();
  by_cancellation();
  return 0;
}
