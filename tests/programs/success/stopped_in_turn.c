// expect: clean   Workers that yield until they are stopped, one after the other, as std::jthread does it: two that yield to each other must not
// starve the third.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
enum { kWorkers = 3, kApart = 64 };
static atomic_int stop[kWorkers * kApart], ready;
static void* work(void* which) {
  atomic_fetch_add(&ready, 1);
  while (!atomic_load(&stop[kApart * (long)which])) sched_yield();
  return 0;
}
int main(void) {
  pthread_t t[kWorkers];
  for (long i = 0; i < kWorkers; i++) pthread_create(&t[i], 0, work, (void*)i);
  while (atomic_load(&ready) < kWorkers) sched_yield();
  for (int i = kWorkers - 1; i >= 0; i--) {
    atomic_store(&stop[kApart * i], 1);
    pthread_join(t[i], 0);
  }
  return 0;
}
