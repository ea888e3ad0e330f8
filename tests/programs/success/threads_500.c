// expect: clean   500 threads alive at once.
// laws: 3 schedules, each makes 500 threads
// runs: 3
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int here, go;
static void* stays(void* unused) {
  pthread_mutex_lock(&m);
  if (++here == 500) pthread_cond_broadcast(&c);
  while (!go) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  pthread_t t[500];
  for (int i = 0; i < 500; i++) assert(pthread_create(&t[i], 0, stays, 0) == 0);
  pthread_mutex_lock(&m);
  while (here < 500) pthread_cond_wait(&c, &m);
  go = 1;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
  for (int i = 0; i < 500; i++) pthread_join(t[i], 0);
  return 0;
}
