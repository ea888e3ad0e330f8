// expect: clean   One thread waits for a real timer, others spin, yield and wait with a timeout beside it.
// laws: none, when the timer comes back is decided outside
// runs: 30
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
static atomic_int done;
static int timer;
static sem_t never;
static void* reads(void* unused) {
  uint64_t times;
  (void)!read(timer, &times, sizeof times);
  done = 1;
  return unused;
}
static void* spins(void* unused) {
  while (!done) sched_yield();
  return unused;
}
static void* waits(void* unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 5;
  sem_timedwait(&never, &until);
  return unused;
}
int main(void) {
  pthread_t t[3];
  struct itimerspec soon = {{0, 0}, {0, 30000000}};
  sem_init(&never, 0, 0);
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(timer, 0, &soon, 0);
  pthread_create(&t[0], 0, reads, 0);
  pthread_create(&t[1], 0, spins, 0);
  pthread_create(&t[2], 0, waits, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return 0;
}
