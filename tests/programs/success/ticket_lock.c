// expect: clean   A ticket lock of four threads, which yield while it is not their turn: each of them must get one, or all spin for ever.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int next, serving;
static int count;
static void* work(void* p) {
  for (int i = 0; i < 4; i++) {
    int mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != mine) sched_yield();
    count++;
    atomic_fetch_add(&serving, 1);
  }
  return p;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  assert(count == 16);
  return 0;
}
