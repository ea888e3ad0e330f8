// expect: abort
// ConVul: two closing paths of a driver both see the buffer before either clears the pointer (CVE-2016-9794's kind).
#include "threads.h"
struct Stream {
  pthread_mutex_t m;
  int open;
  char* buffer;
};
static struct Stream stream = {PTHREAD_MUTEX_INITIALIZER, 1, NULL};

static void release(struct Stream* s) {
  LOCK(s->m);
  int open = s->open;
  s->open = 0;
  UNLOCK(s->m);
  if (!open && !s->buffer) return;
  char* buffer = s->buffer;
  if (buffer) {
    free(buffer);  // FAILS
    s->buffer = NULL;
  }
}
static void* hang_up(void* arg) {
  release(&stream);
  return arg;
}
static void* stop(void* arg) {
  release(&stream);
  return arg;
}
int main(void) {
  stream.buffer = malloc(64);
  start(hang_up, NULL);
  start(stop, NULL);
  join_all();
}
