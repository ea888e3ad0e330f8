// expect: clean race
// Threads lock and try one mutex as fast as they can while they are sent signals: never are two
// of them inside, and how often each had it is the same in the replay of a recording.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
enum { kThreads = 2 };
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static int inside, stop;
static long had[kThreads], failed[kThreads];
static volatile long worked;
static volatile sig_atomic_t handled;
static void handle(int signo) {
  (void)signo;
  for (int i = 0; i < 3000; i++) handled++;  // others go on meanwhile
}
static void use(long me) {
  assert(__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) == 1);
  had[me]++;
  for (int i = 0; i < 50; i++) worked++;
  assert(__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST) == 0);
  pthread_mutex_unlock(&one);
}
static void* work(void* p) {
  long me = (long)p;
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    if (me == 0 && pthread_mutex_trylock(&one) != 0) {
      failed[me]++;
      continue;
    }
    if (me != 0) pthread_mutex_lock(&one);
    use(me);
  }
  return 0;
}
int main(void) {
  pthread_t t[kThreads];
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGUSR1, &action, 0);
  for (long i = 0; i < kThreads; i++) pthread_create(&t[i], 0, work, (void*)i);
  for (int i = 0; i < 60; i++) {
    struct timespec nap = {0, 300000};
    nanosleep(&nap, 0);
    pthread_kill(t[i % 8 == 0], SIGUSR1);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < kThreads; i++) pthread_join(t[i], 0);
  for (int i = 0; i < kThreads; i++) printf("%ld %ld ", had[i], failed[i]);
  printf("\n");
  return 0;
}
