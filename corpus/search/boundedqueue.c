// expect: assertion
// inspect's bounded buffer: a consumer that was woken does not look again, since `if` stands where `while` should.
#include "threads.h"
enum { kSlots = 2, kItems = 4 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, freed = PTHREAD_COND_INITIALIZER;
static int count, taken;

static void* put(void* arg) {
  for (int i = 0; i < kItems; i++) {
    LOCK(m);
    while (count == kSlots) pthread_cond_wait(&freed, &m);
    count++;
    pthread_cond_signal(&filled);
    UNLOCK(m);
  }
  return arg;
}
static void* take(void* arg) {
  for (;;) {
    LOCK(m);
    if (taken == kItems) break;
    if (count == 0) pthread_cond_wait(&filled, &m);
    if (taken == kItems) break;
    assert(count > 0);  // FAILS
    count--;
    if (++taken == kItems) pthread_cond_broadcast(&filled);
    pthread_cond_signal(&freed);
    UNLOCK(m);
  }
  UNLOCK(m);
  return arg;
}
int main(void) {
  start(put, NULL);
  start(take, NULL);
  start(take, NULL);
  join_all();
}
