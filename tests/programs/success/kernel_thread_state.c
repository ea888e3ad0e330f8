// expect: clean
// What belongs to one kernel thread stays with its thread on every backend: timer slack, priority, and signals that wait for one thread.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
static int shared;

static void* worker(void* argument) {
  const int mine = (int)(long)argument;
  sigset_t one, pending;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &one, NULL);
  pthread_mutex_lock(&m);
  shared += mine;
  pthread_mutex_unlock(&m);
  assert(prctl(PR_SET_TIMERSLACK, 1000 + mine) == 0);
  assert(setpriority(PRIO_PROCESS, syscall(SYS_gettid), mine) == 0);
  if (mine == 2) pthread_kill(pthread_self(), SIGUSR1);
  pthread_barrier_wait(&all);
  assert(prctl(PR_GET_TIMERSLACK) == 1000 + mine);
  assert(getpriority(PRIO_PROCESS, 0) == mine);
  assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) == (mine == 2));
  if (mine == 2) {
    int number = 0;
    assert(sigwait(&one, &number) == 0 && number == SIGUSR1);
  }
  pthread_mutex_lock(&m);
  shared -= mine;
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  pthread_barrier_init(&all, NULL, 4);
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, worker, (void*)(i + 1));
  pthread_barrier_wait(&all);
  assert(prctl(PR_GET_TIMERSLACK) >= 50000);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert(shared == 0);
  return 0;
}
