// expect: livelock   Holds one lock, tries the other for ever.
// laws: 2 schedules, some have 200,000 steps
#include <pthread.h>
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void* greedy(void* me) {
  int mine = me != 0;
  pthread_mutex_lock(&m[mine]);
  while (pthread_mutex_trylock(&m[!mine])) {
  }
  pthread_mutex_unlock(&m[!mine]);
  pthread_mutex_unlock(&m[mine]);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, greedy, 0);
  pthread_create(&b, 0, greedy, &a);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
