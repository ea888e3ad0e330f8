// expect: assertion
// SCTBench CS.lazy01: the check is early by design, and fails when both additions were earlier still.
#include "threads.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void* add(void* arg) {
  LOCK(m);
  data += (int)(long)arg;
  UNLOCK(m);
  return NULL;
}
static void* check(void* arg) {
  LOCK(m);
  assert(data < 3);  // FAILS
  UNLOCK(m);
  return arg;
}
int main(void) {
  start(check, NULL);
  start(add, (void*)1);
  start(add, (void*)2);
  join_all();
}
