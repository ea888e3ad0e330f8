// expect: assertion
// SCTBench CS.read_write_lock: a lock made of two counters, where the writer does not count itself before it looks.
#include "threads.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int writing, reading, x, y;

static void* write_both(void* arg) {
  LOCK(m);
  int free_now = !writing && !reading;
  UNLOCK(m);
  if (!free_now) return arg;
  LOCK(m);
  writing = 1;
  UNLOCK(m);
  x = 3;
  y = 3;
  LOCK(m);
  writing = 0;
  UNLOCK(m);
  return arg;
}
static void* read_both(void* arg) {
  LOCK(m);
  int free_now = !writing;
  if (free_now) reading++;
  UNLOCK(m);
  if (!free_now) return arg;
  int seen_x = x, seen_y = y;
  assert(seen_x == seen_y);  // FAILS
  LOCK(m);
  reading--;
  UNLOCK(m);
  return arg;
}
int main(void) {
  start(write_both, NULL);
  start(read_both, NULL);
  start(write_both, NULL);
  start(read_both, NULL);
  join_all();
}
