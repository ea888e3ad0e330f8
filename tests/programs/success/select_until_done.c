// expect: clean   select() and pselect() with time-outs, repeated until both workers have written.
// runs: 200
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>
static int a[2], b[2];
static void* worker(void* end) {
  (void)!write(*(int*)end, "x", 1);
  return 0;
}
int main(void) {
  if (pipe(a) || pipe(b)) return 0;
  pthread_t t[2];
  pthread_create(&t[0], 0, worker, &a[1]);
  pthread_create(&t[1], 0, worker, &b[1]);
  for (int got = 0, turn = 0; got != 2; turn++) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(a[0], &set);
    FD_SET(b[0], &set);
    struct timeval limit = {0, 20000};
    struct timespec limit2 = {0, 20000000};
    const int most = (a[0] > b[0] ? a[0] : b[0]) + 1;
    const int n = turn % 2 ? select(most, &set, 0, 0, &limit) : pselect(most, &set, 0, 0, &limit2, 0);
    char byte;
    if (n > 0 && FD_ISSET(a[0], &set)) got += read(a[0], &byte, 1) == 1;
    if (n > 0 && FD_ISSET(b[0], &set)) got += read(b[0], &byte, 1) == 1;
  }
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
