// expect: clean   pthread spinlock, sched_yield spin and a bare atomic spin.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static pthread_spinlock_t s;
static atomic_int flag, other;
static int n;
static void* work(void* unused) {
  while (!flag) sched_yield();
  while (!other) {
  }
  pthread_spin_lock(&s);
  n++;
  pthread_spin_unlock(&s);
  return unused;
}
int main(void) {
  pthread_spin_init(&s, 0);
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  flag = 1;
  other = 1;
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(n == 2);
  return 0;
}
