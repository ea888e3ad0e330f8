// expect: assertion   select() on two pipes times out before both workers have written; the program takes "no more" for "all done".
// runs: 300
#include <assert.h>
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
  int got = 0;
  for (;;) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(a[0], &set);
    FD_SET(b[0], &set);
    struct timeval limit = {0, 20000};
    if (select((a[0] > b[0] ? a[0] : b[0]) + 1, &set, 0, 0, &limit) <= 0) break;
    char byte;
    if (FD_ISSET(a[0], &set)) got += read(a[0], &byte, 1) == 1;
    if (FD_ISSET(b[0], &set)) got += read(b[0], &byte, 1) == 1;
    if (got == 2) break;
  }
  assert(got == 2);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
