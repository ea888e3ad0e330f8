// expect: deadlock   The source is held back across a computation of ten million accesses, which is no reason to give way.
// runs: 20
// laws: none, with every access a point each run has millions of steps
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int have, eof;
static unsigned table[1024];
static void* source(void* unused) {
  pthread_mutex_lock(&m);
  have = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  eof = 1;  // no lock, no signal
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, source, 0);
  pthread_mutex_lock(&m);
  while (!have) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  for (long i = 0; i < 3000000; i++) table[i % 1024] += (unsigned)i;
  pthread_mutex_lock(&m);
  while (!eof) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  return 0;
}
