// expect: deadlock
// SCTBench CS.arithmetic_prog: one thread counts up, one takes the terms; the end is told by a signal that nobody may be waiting for.
#include "threads.h"
enum { kTerms = 3 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t empty = PTHREAD_COND_INITIALIZER, full = PTHREAD_COND_INITIALIZER;
static int waiting_terms, total, done;

static void* produce(void* arg) {
  for (int i = 0; i < kTerms; i++) {
    LOCK(m);
    while (waiting_terms > 0) pthread_cond_wait(&empty, &m);
    waiting_terms++;
    UNLOCK(m);
    pthread_cond_signal(&full);
  }
  return arg;
}
static void* consume(void* arg) {
  for (int i = 0; i < kTerms; i++) {
    LOCK(m);
    while (waiting_terms == 0) pthread_cond_wait(&full, &m);
    waiting_terms--;
    total += i;
    pthread_cond_signal(&empty);
    UNLOCK(m);
  }
  done = 1;
  pthread_cond_signal(&full);
  return arg;
}
static void* report(void* arg) {
  LOCK(m);
  if (!done) pthread_cond_wait(&full, &m);  // FAILS: shares the condition with the consumer, and `done` is not set under the lock
  UNLOCK(m);
  return arg;
}
int main(void) {
  start(produce, NULL);
  start(consume, NULL);
  start(report, NULL);
  join_all();
}
