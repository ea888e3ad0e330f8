// expect: assertion
// SCTBench CB.aget: an interrupt saves the progress while a worker has counted its block in one place of two.
#include "threads.h"
enum { kWorkers = 3, kBlocks = 2 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int written, at[kWorkers];

static void* fetch(void* arg) {
  long self = (long)arg;
  for (int i = 0; i < kBlocks; i++) {
    at[self]++;
    LOCK(m);
    written++;
    UNLOCK(m);
  }
  return NULL;
}
static void* save(void* arg) {
  int sum = 0;
  for (int i = 0; i < kWorkers; i++) sum += at[i];
  LOCK(m);
  assert(written == sum);  // FAILS
  UNLOCK(m);
  return arg;
}
int main(void) {
  for (long i = 0; i < kWorkers; i++) start(fetch, (void*)i);
  start(save, NULL);
  join_all();
}
