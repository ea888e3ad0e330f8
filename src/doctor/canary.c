// The program that heddle doctor hunts in: two threads take two locks in opposite order, and count without a lock.
// Alone it fails hardly ever. -DRACY leaves the count.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void* work(void* reverse) {
#ifdef RACY
  (void)reverse;
  count = count + 1;
#else
  pthread_mutex_lock(reverse ? &second : &first);
  pthread_mutex_lock(reverse ? &first : &second);
  count++;
  pthread_mutex_unlock(&first);
  pthread_mutex_unlock(&second);
#endif
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, &count);
  work(0);
  pthread_join(thread, 0);
  assert(count == 2);
  return 0;
}
