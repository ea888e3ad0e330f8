// expect: deadlock
// SCTBench CS.carter: who takes the second lock depends on a count that was read under the first.
#include "threads.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, l = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void* count_a(void* arg) {
  LOCK(m);
  if (++a == 1) LOCK(l);
  UNLOCK(m);
  LOCK(m);
  if (--a == 0) UNLOCK(l);
  UNLOCK(m);
  return arg;
}
static void* count_b(void* arg) {
  LOCK(m);
  if (++b == 1) LOCK(l);  // FAILS: waits for l with m
  UNLOCK(m);
  LOCK(m);
  if (--b == 0) UNLOCK(l);
  UNLOCK(m);
  return arg;
}
static void* nothing(void* arg) { return arg; }
int main(void) {
  start(count_a, NULL);
  start(count_b, NULL);
  start(nothing, NULL);
  start(nothing, NULL);
  join_all();
}
