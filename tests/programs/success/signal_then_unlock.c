// expect: clean
// The signal is given while the mutex is held: the waiter can go on only after the unlock, and nothing else happens after that.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, waits;
static void* waiter(void* p) {
  pthread_mutex_lock(&m);
  waits = 1;
  while (!ready) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  return p;
}
static void* takes_signals(void* p) {
  sigset_t set;
  int got;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigwait(&set, &got);
  return p;
}
int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  pthread_t a, b;
  pthread_create(&a, 0, waiter, 0);
  pthread_create(&b, 0, takes_signals, 0);
  for (int seen = 0; !seen; usleep(1000)) {
    pthread_mutex_lock(&m);
    seen = waits;
    pthread_mutex_unlock(&m);
  }
  pthread_kill(b, SIGUSR1);
  pthread_join(b, 0);
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  pthread_join(a, 0);
  return 0;
}
