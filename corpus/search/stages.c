// expect: assertion
// SCTBench CS.twostage_50's size: forty threads count in two places, one of which lags behind; a reader that counts too must not see it.
#include "threads.h"
enum { kThreads = 40 };
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int begun, ended;

static void* work(void* arg) {
  LOCK(a);
  begun++;
  UNLOCK(a);
  LOCK(b);
  ended++;
  UNLOCK(b);
  return arg;
}
static void* check(void* arg) {
  LOCK(a);
  int before = begun;
  UNLOCK(a);
  LOCK(b);
  int after = ended;
  UNLOCK(b);
  assert(after <= before);  // FAILS
  return arg;
}
int main(void) {
  start(check, NULL);
  for (int i = 0; i < kThreads; i++) start(work, NULL);
  join_all();
}
