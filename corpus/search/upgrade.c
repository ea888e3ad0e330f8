// expect: assertion
// A read lock is given up for a write lock, and what was read is not read again; many readers beside it.
#include "threads.h"
enum { kReaders = 4 };
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int made;

static void* get(void* arg) {
  pthread_rwlock_rdlock(&l);
  int there = made;
  pthread_rwlock_unlock(&l);
  if (!there) {
    pthread_rwlock_wrlock(&l);
    made++;
    assert(made < 3);  // FAILS: three of them saw nothing
    pthread_rwlock_unlock(&l);
  }
  return arg;
}
int main(void) {
  for (int i = 0; i < kReaders; i++) start(get, NULL);
  join_all();
}
