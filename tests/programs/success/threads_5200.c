// expect: clean   More threads than 4,096: 5,200 of them, at most 50 at a time.
// runs: 3
// laws: none, more than 60,000 steps
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void* adds(void* unused) {
  pthread_mutex_lock(&m);
  total++;
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  enum { kAtATime = 50, kTimes = 104 };
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  for (int n = 0; n < kTimes; n++) {
    pthread_t t[kAtATime];
    for (int i = 0; i < kAtATime; i++)
      if (pthread_create(&t[i], &small, adds, NULL)) return 1;
    for (int i = 0; i < kAtATime; i++) pthread_join(t[i], NULL);
  }
  printf("%d\n", total);
  return total != kAtATime * kTimes;
}
