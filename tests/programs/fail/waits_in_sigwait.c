// expect: deadlock   The worker signals nobody: main sits in sigwait, the worker waits for main.
// options: hang_timeout=60s
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int asked, answered;
static void* work(void* p) {
  pthread_mutex_lock(&m);
  if (asked) pthread_kill(*(pthread_t*)p, SIGUSR1);  // it forgets to when it is first
  while (!answered) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  return NULL;
}
int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t self = pthread_self(), t;
  pthread_create(&t, NULL, work, &self);
  pthread_mutex_lock(&m);
  asked = 1;
  pthread_mutex_unlock(&m);
  int got;
  sigwait(&set, &got);
  pthread_mutex_lock(&m);
  answered = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  return 0;
}
