// expect: assertion
// ConVul: a length is fetched, checked, and fetched again, while another thread writes it, and six others are busy (CVE-2016-6516's kind).
#include "threads.h"
enum { kOthers = 6, kMost = 8 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int length = 4, busy;

static void* copy(void* arg) {
  for (int i = 0; i < 2; i++) {
    if (length > kMost) continue;
    int used = length;
    assert(used <= kMost);  // FAILS
    LOCK(m);
    busy += used;
    UNLOCK(m);
  }
  return arg;
}
static void* grow(void* arg) {
  LOCK(m);
  busy++;
  UNLOCK(m);
  length = 64;
  return arg;
}
static void* other(void* arg) {
  for (int i = 0; i < 3; i++) {
    LOCK(m);
    busy++;
    UNLOCK(m);
  }
  return arg;
}
int main(void) {
  start(copy, NULL);
  for (int i = 0; i < kOthers; i++) start(other, NULL);
  start(grow, NULL);
  join_all();
}
