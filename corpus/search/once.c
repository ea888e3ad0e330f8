// expect: assertion
// Double-checked initialisation that publishes the object before it is complete.
#include "threads.h"
struct Config {
  int a, b, c;
};
static struct Config storage, *config;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static struct Config* get(void) {
  if (!config) {
    LOCK(m);
    if (!config) {
      storage.a = 1;
      config = &storage;
      storage.b = 2;
      storage.c = 3;
    }
    UNLOCK(m);
  }
  return config;
}
static void* use(void* arg) {
  struct Config* c = get();
  assert(c->a + c->b + c->c == 6);  // FAILS
  return arg;
}
int main(void) {
  start(use, NULL);
  start(use, NULL);
  start(use, NULL);
  join_all();
}
