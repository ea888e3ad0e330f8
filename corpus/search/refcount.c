// expect: assertion
// ConVul: a count is raised from zero again, since lookup and get are two critical sections (CVE-2017-6874's kind).
#include "threads.h"
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER, count_lock = PTHREAD_MUTEX_INITIALIZER;
static struct Object {
  int refs, freed;
} object = {1, 0};
static struct Object* slot = &object;

static void put(struct Object* o) {
  LOCK(count_lock);
  int last = --o->refs == 0;
  UNLOCK(count_lock);
  if (last) {
    LOCK(table);
    slot = NULL;
    UNLOCK(table);
    o->freed = 1;
  }
}
static void* use(void* arg) {
  LOCK(table);
  struct Object* o = slot;
  UNLOCK(table);
  if (!o) return arg;
  LOCK(count_lock);
  o->refs++;
  UNLOCK(count_lock);
  assert(!o->freed);  // FAILS
  put(o);
  return arg;
}
static void* drop(void* arg) {
  put(&object);
  return arg;
}
int main(void) {
  start(use, NULL);
  start(use, NULL);
  start(drop, NULL);
  join_all();
}
