// expect: clean   Signals reach threads that wait in the model: a condition, a semaphore, a sleep, a timer's handler, a loop.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t got, never;
static int go;
static atomic_int asleep, awake, looped, done;
static void posts(int unused) {
  (void)unused;
  sem_post(&got);
}
static void sets(int unused) {
  (void)unused;
  looped = 1;
}
static void* waits(void* unused) {
  pthread_mutex_lock(&lock);
  while (!go) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}
static void* sleeps(void* unused) {
  struct timespec long_time = {1000000, 0};
  asleep = 1;
  int result = nanosleep(&long_time, 0);
  assert(result == 0 || errno == EINTR);
  awake = 1;
  return unused;
}
static void* waits_in_vain(void* unused) {
  int result = sem_wait(&never);
  assert(result == -1 && errno == EINTR);
  done = 1;
  return unused;
}
static void* loops(void* unused) {
  while (!looped) {
  }
  return unused;
}
static void wait_for_handler(void) {
  while (sem_wait(&got) != 0) {
  }
}
int main(void) {
  pthread_t t;
  sem_init(&got, 0, 0);
  sem_init(&never, 0, 0);
  struct sigaction restarts = {.sa_handler = posts, .sa_flags = SA_RESTART}, ends = {.sa_handler = posts}, flag = {.sa_handler = sets};
  sigaction(SIGUSR1, &restarts, 0);
  sigaction(SIGUSR2, &ends, 0);
  sigaction(SIGHUP, &flag, 0);

  pthread_create(&t, 0, waits, 0);
  pthread_kill(t, SIGUSR1);
  wait_for_handler();
  pthread_mutex_lock(&lock);
  go = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  pthread_join(t, 0);

  pthread_create(&t, 0, sleeps, 0);
  while (!asleep) usleep(1);
  pthread_kill(t, SIGUSR1);
  wait_for_handler();
  while (!awake) {  // the first may have come before it slept
    pthread_kill(t, SIGUSR1);
    usleep(100);
  }
  pthread_join(t, 0);

  pthread_create(&t, 0, waits_in_vain, 0);
  while (!done) {  // the first may come too early
    pthread_kill(t, SIGUSR2);
    usleep(100);
  }
  pthread_join(t, 0);

  pthread_create(&t, 0, loops, 0);
  pthread_kill(t, SIGHUP);
  pthread_join(t, 0);
  return 0;
}
