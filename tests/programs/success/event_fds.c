// expect: clean
// eventfd, timerfd, signalfd, epoll, poll and select between threads.
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
static int event, counting, timer, signals, pipe_fd[2];
static int message, total;
static void* server(void* unused) {
  int set = epoll_create1(EPOLL_CLOEXEC), left = 4;
  int fds[] = {event, timer, signals, pipe_fd[0]};
  for (int i = 0; i < 4; i++) {
    struct epoll_event e = {.events = EPOLLIN, .data.fd = fds[i]};
    epoll_ctl(set, EPOLL_CTL_ADD, fds[i], &e);
  }
  while (left) {
    struct epoll_event ready[4];
    int n = epoll_wait(set, ready, 4, -1);
    assert(n > 0);
    for (int i = 0; i < n; i++) {
      uint64_t value[16];
      ssize_t got = read(ready[i].data.fd, value, sizeof value);
      assert(got > 0);
      if (ready[i].data.fd == event) assert(message == 7);
      epoll_ctl(set, EPOLL_CTL_DEL, ready[i].data.fd, NULL);
      left--;
    }
  }
  close(set);
  return unused;
}
static void* takes(void* unused) {
  for (int i = 0; i < 3; i++) {
    struct pollfd p = {counting, POLLIN, 0};
    assert(poll(&p, 1, 1000000) == 1);
    uint64_t one;
    if (read(counting, &one, sizeof one) == sizeof one) __atomic_fetch_add(&total, (int)one, __ATOMIC_RELAXED);
  }
  return unused;
}
int main(void) {
  event = eventfd(0, 0);
  counting = eventfd(0, EFD_SEMAPHORE);
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  signals = signalfd(-1, &set, 0);
  if (pipe(pipe_fd)) return 1;
  pthread_t s, a, b;
  pthread_create(&s, NULL, server, NULL);
  pthread_create(&a, NULL, takes, NULL);
  pthread_create(&b, NULL, takes, NULL);
  struct itimerspec soon = {.it_value = {0, 2000000}};
  timerfd_settime(timer, 0, &soon, NULL);
  message = 7;
  uint64_t one = 1;
  if (write(event, &one, 8) != 8) return 1;
  kill(getpid(), SIGUSR1);
  for (int i = 0; i < 6; i++)
    if (write(counting, &one, 8) != 8) return 1;
  fd_set w;
  FD_ZERO(&w);
  FD_SET(pipe_fd[1], &w);
  struct timeval limit = {5, 0};
  assert(select(pipe_fd[1] + 1, NULL, &w, NULL, &limit) == 1);
  if (write(pipe_fd[1], "x", 1) != 1) return 1;
  pthread_join(s, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(total == 6);
  return 0;
}
