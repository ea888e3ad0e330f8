// expect: assertion   poll() times out before the worker has written: its result is ignored.
// runs: 300
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
static int ends[2], answer;
static void* worker(void* unused) {
  answer = 42;
  (void)!write(ends[1], "x", 1);
  return unused;
}
int main(void) {
  if (pipe(ends)) return 0;
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  struct pollfd p = {ends[0], POLLIN, 0};
  poll(&p, 1, 50);
  assert(p.revents & POLLIN);
  pthread_join(t, 0);
  return answer != 42;
}
