// expect: assertion   A timerfd of 10 ms that is meant to give the worker enough time.
// runs: 300
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>
static int done;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* worker(void* unused) {
  pthread_mutex_lock(&m);
  done = 1;
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  const int fd = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec once = {.it_value = {0, 10000000}};
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  if (fd < 0 || timerfd_settime(fd, 0, &once, 0)) return 0;
  uint64_t times;
  if (read(fd, &times, sizeof times) != sizeof times) return 0;
  pthread_mutex_lock(&m);
  assert(done);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  return 0;
}
