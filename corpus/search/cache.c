// expect: assertion
// A cache of two entries: the place that was looked up is used after two others were stored over it.
#include "threads.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int keys[2] = {1, 2}, values[2] = {10, 20}, victim;

static int find(int key) {
  LOCK(m);
  int at = keys[0] == key ? 0 : keys[1] == key ? 1 : -1;
  UNLOCK(m);
  return at;
}
static void store(int key) {
  LOCK(m);
  keys[victim] = key;
  values[victim] = key * 10;
  victim = 1 - victim;
  UNLOCK(m);
}
static void* look(void* arg) {
  int key = 2, at = find(key);
  if (at < 0) return arg;
  LOCK(m);
  assert(values[at] == key * 10);  // FAILS
  UNLOCK(m);
  return arg;
}
static void* fill(void* arg) {
  store((int)(long)arg);
  return NULL;
}
int main(void) {
  start(look, NULL);
  start(fill, (void*)3);
  start(fill, (void*)4);
  start(look, NULL);
  join_all();
}
