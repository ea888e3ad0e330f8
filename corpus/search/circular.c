// expect: assertion
// SCTBench CS.circular_buffer: the flags of sender and receiver are not changed together with the index.
#include "threads.h"
enum { kSize = 10, kCount = 4 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char buffer[kSize];
static unsigned first, next;
static int sending = 1, receiving;

static void* send(void* arg) {
  for (int i = 0; i < kCount; i++) {
    LOCK(m);
    if (sending) {
      buffer[next] = (char)i;
      next = (next + 1) % kSize;
      receiving = 1;
      sending = 1;
    }
    UNLOCK(m);
  }
  return arg;
}
static void* receive(void* arg) {
  for (int i = 0; i < kCount; i++) {
    LOCK(m);
    if (receiving) {
      assert(buffer[first] == i);  // FAILS: the turn counts also when nothing was there
      first = (first + 1) % kSize;
      receiving = first != next;
    }
    UNLOCK(m);
  }
  return arg;
}
int main(void) {
  start(send, NULL);
  start(receive, NULL);
  join_all();
}
