// expect: deadlock
// Four stages hand items on; a stage tests for its input without the lock it waits with.
#include "threads.h"
enum { kStages = 4, kItems = 2 };
static struct {
  pthread_mutex_t m;
  pthread_cond_t filled;
  int items;
} stages[kStages];

static int items_at(long s) {
  LOCK(stages[s].m);
  int n = stages[s].items;
  UNLOCK(stages[s].m);
  return n;
}
static void add(long s) {
  LOCK(stages[s].m);
  stages[s].items++;
  pthread_cond_signal(&stages[s].filled);
  UNLOCK(stages[s].m);
}
static void* stage(void* arg) {
  long s = (long)arg;
  for (int i = 0; i < kItems; i++) {
    if (items_at(s) == 0) {
      LOCK(stages[s].m);
      pthread_cond_wait(&stages[s].filled, &stages[s].m);  // FAILS
      UNLOCK(stages[s].m);
    }
    LOCK(stages[s].m);
    stages[s].items--;
    UNLOCK(stages[s].m);
    if (s + 1 < kStages) add(s + 1);
  }
  return NULL;
}
int main(void) {
  for (long s = 0; s < kStages; s++) pthread_mutex_init(&stages[s].m, NULL), pthread_cond_init(&stages[s].filled, NULL);
  for (int i = 0; i < kItems; i++) add(0);
  for (long s = 0; s < kStages; s++) start(stage, (void*)s);
  join_all();
}
