// expect: segfault
// ConVul: a pointer of a terminal is cleared between the test and the use, and three other threads do unrelated work.
#include "threads.h"
struct Ops {
  int speed;
};
static struct Ops ops = {9600}, *line = &ops;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int noise, speed;

static void* ioctl_thread(void* arg) {
  LOCK(m);
  noise++;
  UNLOCK(m);
  if (line) speed = line->speed;  // FAILS
  return arg;
}
static void* close_thread(void* arg) {
  LOCK(m);
  noise++;
  UNLOCK(m);
  line = NULL;
  return arg;
}
static void* other(void* arg) {
  for (int i = 0; i < 4; i++) {
    LOCK(m);
    noise++;
    UNLOCK(m);
  }
  return arg;
}
int main(void) {
  start(ioctl_thread, NULL);
  start(other, NULL);
  start(other, NULL);
  start(close_thread, NULL);
  start(other, NULL);
  join_all();
}
