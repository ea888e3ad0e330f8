// expect: clean   Who sleeps uses no CPU time: timers that count it do not expire meanwhile.
#include <assert.h>
#include <pthread.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static void* sleeps(void* unused) {
  sleep(2);
  return unused;
}
int main(void) {
  const struct itimerval one = {{0, 0}, {1, 0}}, none = {{0, 0}, {0, 0}};
  struct itimerval left;
  struct timespec before, after;
  pthread_t t;
  setitimer(ITIMER_VIRTUAL, &one, 0);  // its signal would end the program
  setitimer(ITIMER_PROF, &one, 0);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  pthread_create(&t, 0, sleeps, 0);
  sleep(2);
  pthread_join(t, 0);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  assert(after.tv_sec == before.tv_sec || after.tv_sec - before.tv_sec + (after.tv_nsec - before.tv_nsec) * 1e-9 < 1);
  setitimer(ITIMER_PROF, &none, &left);
  assert(left.it_value.tv_sec > 0 || left.it_value.tv_usec > 0);
  return 0;
}
