// expect: assertion
// A yield is a hint: a thread that yields twice may go on before others, and every strategy must know it.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int written;
static void* writes(void* p) {
  sched_yield();
  sched_yield();
  written = 1;
  return p;
}
static void* reads(void* p) {
  assert(written == 0);
  return p;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&b, 0, reads, 0);
  pthread_create(&a, 0, writes, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
