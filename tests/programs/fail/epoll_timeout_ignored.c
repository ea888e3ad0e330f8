// expect: assertion   epoll_wait() on an eventfd gives up before the worker has posted.
// runs: 300
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
static int event;
static void* worker(void* unused) {
  uint64_t one = 1;
  (void)!write(event, &one, sizeof one);
  return unused;
}
int main(void) {
  event = eventfd(0, 0);
  int set = epoll_create1(0);
  struct epoll_event e = {.events = EPOLLIN}, got;
  if (event < 0 || set < 0 || epoll_ctl(set, EPOLL_CTL_ADD, event, &e)) return 0;
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  assert(epoll_wait(set, &got, 1, 1000) == 1);
  pthread_join(t, 0);
  return 0;
}
