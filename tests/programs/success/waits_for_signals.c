// expect: clean   Every wait for a signal gets one: sigwait, sigwaitinfo, sigsuspend, pause, select of nothing, and one that is cancelled.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/select.h>
#include <unistd.h>
static volatile sig_atomic_t handled;
static pthread_t waiting;
static void note(int n) {
  (void)n;
  handled++;
}
static void* sends_one(void* p) {
  pthread_kill(waiting, *(int*)p);
  return NULL;
}
static void* sends_to_process(void* p) {
  kill(getpid(), *(int*)p);
  return NULL;
}
static void* for_ever(void* p) {
  pause();
  return p;
}
static volatile int stop;
static void* sends_until_stopped(void* p) {
  while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) pthread_kill(waiting, *(int*)p), sched_yield();
  return NULL;
}
int main(void) {
  waiting = pthread_self();
  struct sigaction a = {.sa_handler = note};
  sigaction(SIGUSR2, &a, NULL);
  sigset_t set, none;
  sigemptyset(&none);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  int first = SIGUSR1, second = SIGUSR2, got = 0;
  pthread_t t;
  pthread_create(&t, NULL, sends_one, &first);
  assert(sigwait(&set, &got) == 0 && got == SIGUSR1);
  pthread_join(t, NULL);
  siginfo_t info = {0};
  pthread_create(&t, NULL, sends_to_process, &first);
  assert(sigwaitinfo(&set, &info) == SIGUSR1 && info.si_signo == SIGUSR1 && info.si_pid == getpid());
  pthread_join(t, NULL);
  pthread_create(&t, NULL, sends_one, &second);
  assert(sigsuspend(&none) == -1 && errno == EINTR && handled == 1);
  pthread_join(t, NULL);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  pthread_create(&t, NULL, sends_until_stopped, &second);
  assert(pause() == -1 && errno == EINTR);
  assert(select(0, NULL, NULL, NULL, NULL) == -1 && errno == EINTR);
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  pthread_join(t, NULL);
  pthread_create(&t, NULL, for_ever, NULL);
  pthread_cancel(t);
  void* result;
  pthread_join(t, &result);
  assert(result == PTHREAD_CANCELED);
  return 0;
}
