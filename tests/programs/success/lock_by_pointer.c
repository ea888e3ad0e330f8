// expect: clean
// A function that computes and locks through a pointer: that it makes interposed calls cannot be told when it is compiled.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int (*volatile lock)(pthread_mutex_t*) = pthread_mutex_lock;
static int (*volatile unlock)(pthread_mutex_t*) = pthread_mutex_unlock;
static int sums[64];
__attribute__((noinline)) static void add(int n) {
  lock(&m);
  for (int i = 0; i < 64; i++) sums[i] += i * n;
  unlock(&m);
}
static void* adds(void* unused) {
  add(1);
  add(2);
  return unused;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, adds, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return sums[1] != 9;
}
