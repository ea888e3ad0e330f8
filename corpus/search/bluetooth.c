// expect: assertion
// SCTBench CS.bluetooth_driver: the driver is stopped between the test of the flag and the count of the pending request.
#include "threads.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int pending = 1, stopping, stopped, event;

static int enter(void) {
  if (stopping) return 0;
  LOCK(m);
  pending++;
  UNLOCK(m);
  return 1;
}
static void leave(void) {
  LOCK(m);
  if (--pending == 0) event = 1;
  UNLOCK(m);
}
static void* request(void* arg) {
  if (enter()) {
    assert(!stopped);  // FAILS
    leave();
  }
  return arg;
}
static void* stop(void* arg) {
  stopping = 1;
  leave();
  LOCK(m);
  if (event) stopped = 1;
  UNLOCK(m);
  return arg;
}
int main(void) {
  start(request, NULL);
  start(stop, NULL);
  join_all();
}
