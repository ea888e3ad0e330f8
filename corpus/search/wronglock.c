// expect: assertion
// SCTBench CS.wronglock_3: seven threads protect the counter with one lock, one thread with another.
#include "threads.h"
enum { kThreads = 7 };
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void add(pthread_mutex_t* lock) {
  pthread_mutex_lock(lock);
  int seen = data;
  data++;
  assert(data == seen + 1);  // FAILS
  pthread_mutex_unlock(lock);
}
static void* add_right(void* arg) {
  add(&right);
  return arg;
}
static void* add_wrong(void* arg) {
  add(&wrong);
  return arg;
}
int main(void) {
  start(add_wrong, NULL);
  for (int i = 0; i < kThreads; i++) start(add_right, NULL);
  join_all();
}
