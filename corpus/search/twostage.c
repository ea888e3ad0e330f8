// expect: assertion
// SCTBench CS.twostage_20: two stages under two locks; a reader between them sees the first without the second.
#include "threads.h"
enum { kWriters = 12, kReaders = 8 };
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int one, two;

static void* write(void* arg) {
  LOCK(first);
  one = 1;
  UNLOCK(first);
  LOCK(second);
  two = one + 1;
  UNLOCK(second);
  return arg;
}
static void* read(void* arg) {
  LOCK(first);
  int seen = one;
  UNLOCK(first);
  if (!seen) return arg;
  LOCK(second);
  assert(two == seen + 1);  // FAILS
  UNLOCK(second);
  return arg;
}
int main(void) {
  for (int i = 0; i < kWriters; i++) start(write, NULL);
  for (int i = 0; i < kReaders; i++) start(read, NULL);
  join_all();
}
