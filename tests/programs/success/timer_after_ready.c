// expect: clean   All kinds of timers, armed when what their handlers use is there: they may expire at any time after that.
// runs: 200
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
static _Atomic int fired;
static int* table;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void on_timer(int signo) {
  (void)signo;
  if (table) fired++;
}
static void* worker(void* unused) {
  for (int i = 0; i < 5; i++) {
    pthread_mutex_lock(&m);
    table[i % 4]++;
    pthread_mutex_unlock(&m);
  }
  return unused;
}
int main(void) {
  table = calloc(4, sizeof *table);
  struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, 0);
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  timer_t timer;
  struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  struct itimerspec soon = {.it_value = {0, 50000000}}, left;
  if (timer_create(CLOCK_MONOTONIC, &how, &timer) || timer_settime(timer, 0, &soon, 0)) return 1;
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  while (fired < 1) usleep(1000);
  clock_gettime(CLOCK_MONOTONIC, &after);
  assert((after.tv_sec - before.tv_sec) * 1000000000ll + after.tv_nsec - before.tv_nsec >= 50000000);
  if (timer_gettime(timer, &left) || left.it_value.tv_sec || left.it_value.tv_nsec) return 2;
  alarm(2);
  while (fired < 2) usleep(1000);
  const int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  struct itimerspec often = {.it_interval = {0, 1000000}, .it_value = {0, 1000000}};
  if (fd < 0 || timerfd_settime(fd, 0, &often, 0)) return 3;
  for (uint64_t sum = 0, times; sum < 3; sum += times)
    if (read(fd, &times, sizeof times) != sizeof times || !times) return 4;
  pthread_join(t, 0);
  close(fd);
  return timer_delete(timer);
}
