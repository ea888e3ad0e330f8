// expect: assertion
// SCTBench CS.token_ring: four threads copy around a ring; the result depends on who goes when.
#include "threads.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x[4] = {1, 0, 0, 0}, ok;

static void* pass_on(void* arg) {
  long self = (long)arg;
  LOCK(m);
  x[self] = (x[(self + 3) % 4] + (self == 0)) % 4;
  UNLOCK(m);
  return NULL;
}
static void* check(void* arg) {
  LOCK(m);
  ok = x[1] == x[0] && x[2] == x[1] && x[3] == x[2];
  UNLOCK(m);
  return arg;
}
int main(void) {
  for (long i = 0; i < 4; i++) start(pass_on, (void*)i);
  start(check, NULL);
  join_all();
  assert(ok || x[0] != 2);  // FAILS
}
