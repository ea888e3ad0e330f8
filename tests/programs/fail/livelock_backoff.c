// expect: livelock   Two polite threads wait for each other's flag for ever.
// laws: 2 schedules, each has 200,000 steps
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int ready[2];
static void* polite(void* me) {
  int mine = me != 0;
  while (!ready[!mine]) sched_yield();
  ready[mine] = 1;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, polite, 0);
  pthread_create(&b, 0, polite, &a);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
