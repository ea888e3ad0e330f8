// expect: clean   Who a thread is does not change when it blocks outside; it can be pinned at its start, and a signal that it blocks waits for it.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>
static int ends[2];
static void* blocks(void* unused) {
  char byte;
  pid_t before = gettid();
  assert(read(ends[0], &byte, 1) == 1 && gettid() == before && before != getpid());
  return unused;
}
static void* blocks_first(void* unused) {
  char byte;
  assert(read(ends[0], &byte, 1) == 1);
  pid_t me = gettid();
  assert(me == gettid() && me != getpid());
  return unused;
}
static void* takes(void* set) {
  int signo = 0;
  assert(sigwait(set, &signo) == 0 && signo == SIGUSR1);
  return set;
}
int main(void) {
  pthread_t a, b, c, d;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  pthread_attr_t pinned;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(0, &cpus);
  pthread_attr_init(&pinned);
  pthread_attr_setaffinity_np(&pinned, sizeof cpus, &cpus);
  assert(pipe(ends) == 0);
  assert(pthread_create(&a, 0, blocks, 0) == 0 && pthread_create(&b, &pinned, blocks, 0) == 0 && pthread_create(&c, 0, blocks_first, 0) == 0);
  assert(pthread_create(&d, 0, takes, &set) == 0 && pthread_kill(d, SIGUSR1) == 0);
  for (int i = 0; i < 3; i++) assert(write(ends[1], "", 1) == 1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  pthread_join(d, 0);
  return 0;
}
