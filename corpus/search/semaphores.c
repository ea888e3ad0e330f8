// expect: deadlock
// Three threads take two of three permits each, one after the other.
#include <semaphore.h>
#include "threads.h"
static sem_t permits;
static int done;

static void* work(void* arg) {
  sem_wait(&permits);
  sem_wait(&permits);  // FAILS
  __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
  sem_post(&permits);
  sem_post(&permits);
  return arg;
}
int main(void) {
  sem_init(&permits, 0, 3);
  start(work, NULL);
  start(work, NULL);
  start(work, NULL);
  join_all();
  assert(done == 3);
}
