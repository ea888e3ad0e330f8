// expect: deadlock
// SCTBench CS.sync01: the signal comes before the wait, which has no test of its own.
#include "threads.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int number;

static void* fill(void* arg) {
  LOCK(m);
  number++;
  pthread_cond_signal(&filled);
  UNLOCK(m);
  return arg;
}
static void* empty(void* arg) {
  LOCK(m);
  int seen = number;
  UNLOCK(m);
  if (!seen) {
    LOCK(m);
    pthread_cond_wait(&filled, &m);  // FAILS
    UNLOCK(m);
  }
  return arg;
}
int main(void) {
  start(empty, NULL);
  start(fill, NULL);
  join_all();
}
