// expect: clean
// laws: none, each run takes as long as its timers
// A signal is all that ends a wait: it may come when the thread has just looked and is about to sleep.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
enum { kRounds = 1500 };
static sem_t rung;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static int done;
static void ring(int n) {
  (void)n;
  sem_post(&rung);
}
static void* waits(void* p) {
  pthread_mutex_lock(&m);
  while (!done) pthread_cond_wait(&over, &m);
  pthread_mutex_unlock(&m);
  return p;
}
int main(void) {
  struct sigaction a = {.sa_handler = ring};
  pthread_t t;
  sem_init(&rung, 0, 0);
  sigaction(SIGALRM, &a, NULL);
  pthread_create(&t, NULL, waits, NULL);
  for (int i = 0; i < kRounds; i++) {
    struct itimerval soon = {{0, 0}, {0, 1 + i % 60}};
    setitimer(ITIMER_REAL, &soon, NULL);
    while (sem_wait(&rung) && errno == EINTR) {
    }
  }
  pthread_mutex_lock(&m);
  done = 1;
  pthread_cond_signal(&over);
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  puts("rung");
  return 0;
}
