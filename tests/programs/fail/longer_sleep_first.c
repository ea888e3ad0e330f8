// expect: assertion   Of two sleeps the longer one may end first: the thread of the shorter one is slow to wake.
// runs: 200
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static atomic_int order;
static void* sleeps_a_millisecond(void* unused) {
  struct timespec t = {0, 1000000};
  nanosleep(&t, 0);
  int before = order++;
  assert(before == 0);
  return unused;
}
static void* sleeps_a_second(void* unused) {
  struct timespec t = {1, 0};
  nanosleep(&t, 0);
  order++;
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, sleeps_a_millisecond, 0);
  pthread_create(&b, 0, sleeps_a_second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
