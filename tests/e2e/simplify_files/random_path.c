// Three threads count, those that draw an odd number without care: which of them can fail is another one in each execution.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/random.h>
static atomic_int count;
static void* adds(void* unused) {
  unsigned drawn = 0;
  (void)!getrandom(&drawn, sizeof drawn, 0);
  if (drawn & 1) {
    int n = count;
    count = n + 1;
  } else {
    count++;
  }
  return unused;
}
int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(threads + i, 0, adds, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  assert(count == 3);
  return 0;
}
