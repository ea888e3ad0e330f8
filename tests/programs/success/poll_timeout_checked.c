// expect: clean   poll() may time out at any time, in a program that is ready for that; time never goes back.
// runs: 200
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static int ends[2];
static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}
static void* worker(void* unused) {
  for (int i = 0; i < 3; i++) (void)!write(ends[1], "x", 1);
  return unused;
}
int main(void) {
  if (pipe(ends)) return 0;
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  for (int got = 0; got < 3;) {
    struct pollfd p = {ends[0], POLLIN, 0};
    const long long before = now();
    const int n = poll(&p, 1, 50);
    if (n == 0 && now() - before < 50000000) abort();  // a time-out takes its time
    char byte;
    if (n == 1) got += read(ends[0], &byte, 1) == 1;
  }
  pthread_join(t, 0);
  return 0;
}
