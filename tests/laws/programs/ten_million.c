// Two threads and ten million events; fails at the very end.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
enum { kRounds = 850000 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long total;
static void* add(void* unused) {
  for (int i = 0; i < kRounds; i++) {
    pthread_mutex_lock(&m);
    total = total + 1;
    total = total + 1;
    pthread_mutex_unlock(&m);
  }
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(total != 4l * kRounds);
  return 0;
}
