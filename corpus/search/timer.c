// expect: assertion
// ConVul: a timer's function runs behind its cancellation, since "is it running" and "is it armed" are asked one after the other.
#include "threads.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int armed = 1, running, freed, ticks;

static void* timer(void* arg) {
  for (int i = 0; i < 2; i++) {
    LOCK(m);
    int mine = armed;
    UNLOCK(m);
    if (!mine) break;
    LOCK(m);
    running = 1;
    UNLOCK(m);
    assert(!freed);  // FAILS
    ticks++;
    LOCK(m);
    running = 0;
    UNLOCK(m);
  }
  return arg;
}
static void* close_device(void* arg) {
  LOCK(m);
  armed = 0;
  UNLOCK(m);
  LOCK(m);
  int wait = running;
  UNLOCK(m);
  if (!wait) freed = 1;
  return arg;
}
int main(void) {
  start(timer, NULL);
  start(close_device, NULL);
  join_all();
}
