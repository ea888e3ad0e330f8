// expect: assertion
// SCTBench CS.stack: a pop tests whether there is anything before it has the lock.
#include "threads.h"
enum { kItems = 3 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int top;

static void* push(void* arg) {
  for (int i = 0; i < kItems; i++) {
    LOCK(m);
    top++;
    UNLOCK(m);
  }
  return arg;
}
static void* pop(void* arg) {
  for (int i = 0; i < kItems; i++) {
    if (top > 0) {
      LOCK(m);
      assert(top > 0);  // FAILS
      top--;
      UNLOCK(m);
    }
  }
  return arg;
}
int main(void) {
  start(push, NULL);
  start(pop, NULL);
  start(pop, NULL);
  join_all();
}
