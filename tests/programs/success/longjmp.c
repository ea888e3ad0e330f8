// expect: clean   longjmp over frames that locked, and a generator-like jump in each thread.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void deep(jmp_buf back, int n) {
  pthread_mutex_lock(&m);
  total++;
  pthread_mutex_unlock(&m);
  if (n == 0) longjmp(back, 5);
  deep(back, n - 1);
}
static void* jumps(void* unused) {
  jmp_buf back;
  volatile int times = 0;
  int r = setjmp(back);
  if (r == 5) times++;
  if (times < 3) deep(back, 2);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, jumps, 0);
  pthread_create(&b, 0, jumps, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(total == 18);
  return 0;
}
