// expect: assertion
// SCTBench CB.stringbuffer: the length of the other string is asked in one critical section and used in the next.
#include <string.h>
#include "threads.h"
struct Text {
  pthread_mutex_t m;
  int length;
  char chars[16];
};
static struct Text from = {PTHREAD_MUTEX_INITIALIZER, 5, "abcde"}, to = {PTHREAD_MUTEX_INITIALIZER, 0, ""};

static int length_of(struct Text* t) {
  LOCK(t->m);
  int n = t->length;
  UNLOCK(t->m);
  return n;
}
static void copy(struct Text* t, int n, char* out) {
  LOCK(t->m);
  assert(n <= t->length);  // FAILS
  memcpy(out, t->chars, (size_t)n);
  UNLOCK(t->m);
}
static void* append(void* arg) {
  LOCK(to.m);
  int n = length_of(&from);
  copy(&from, n, to.chars + to.length);
  to.length += n;
  UNLOCK(to.m);
  return arg;
}
static void* erase(void* arg) {
  LOCK(from.m);
  from.length = 0;
  UNLOCK(from.m);
  return arg;
}
int main(void) {
  start(append, NULL);
  start(erase, NULL);
  join_all();
}
