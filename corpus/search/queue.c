// expect: assertion
// SCTBench CS.queue: enqueuer and dequeuer pass flags to each other, but the count is kept outside of the lock.
#include "threads.h"
enum { kItems = 5 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int items[kItems + 1], head, tail, amount;

static void* enqueue(void* arg) {
  for (int i = 0; i < kItems; i++) {
    LOCK(m);
    items[tail++] = i + 1;
    UNLOCK(m);
    amount++;
  }
  return arg;
}
static void* dequeue(void* arg) {
  for (int i = 0; i < kItems; i++) {
    LOCK(m);
    int any = head < tail;
    if (any) head++;
    UNLOCK(m);
    if (any) amount--;
  }
  return arg;
}
int main(void) {
  start(enqueue, NULL);
  start(dequeue, NULL);
  join_all();
  assert(amount == tail - head);  // FAILS
}
