// expect: deadlock   The signal comes before sigsuspend, which waits for another one.
// options: hang_timeout=60s
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t came;
static void note(int n) { came = n; }
static void* work(void* p) {
  pthread_kill(*(pthread_t*)p, SIGUSR1);
  return NULL;
}
int main(void) {
  struct sigaction a = {.sa_handler = note};
  sigaction(SIGUSR1, &a, NULL);
  sigset_t none;
  sigemptyset(&none);
  pthread_t self = pthread_self(), t;
  pthread_create(&t, NULL, work, &self);
  const int seen = came;
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  if (!seen) sigsuspend(&none);
  pthread_join(t, NULL);
  return 0;
}
