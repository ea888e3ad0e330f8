// expect: clean race
// runs: 4
// tsan: none, calls of libc have no hooks
// A thread blocks in read() and its kin while another one looks at the buffer all the time: when the bytes appear for it decides what is
// printed. A recording must put that moment into its order.
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kRounds = 36 };
static char buffer[200];
static struct pollfd polled;
static struct epoll_event events[4];
static int ends[2], answered, done;

static void receive(int round) {
  struct iovec parts[2] = {{buffer, 70}, {buffer + 100, 60}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  char rest[200];
  ssize_t n = 0;
  switch (round % 6) {
    case 0: n = read(ends[0], buffer, sizeof buffer); break;
    case 1: n = readv(ends[0], parts, 2); break;
    case 2: n = recv(ends[0], buffer, sizeof buffer, 0); break;
    case 3: n = recvmsg(ends[0], &message, 0); break;
    case 4:
      polled = (struct pollfd){ends[0], POLLIN, 0};
      assert(poll(&polled, 1, -1) == 1 && polled.revents == POLLIN && polled.fd == ends[0]);
      n = read(ends[0], rest, sizeof rest);
      break;
    case 5: {
      int queue = epoll_create1(0);
      struct epoll_event wanted = {.events = EPOLLIN, .data.u64 = (unsigned)round + 1};
      epoll_ctl(queue, EPOLL_CTL_ADD, ends[0], &wanted);
      assert(epoll_wait(queue, events, 4, -1) == 1 && events[0].data.u64 == (unsigned)round + 1);
      close(queue);
      n = read(ends[0], rest, sizeof rest);
      break;
    }
  }
  assert(n == 110);
  if (round % 6 < 4) assert(buffer[0] == 'a' + round % 26 && buffer[69] == buffer[0]);
  if (round % 6 == 1 || round % 6 == 3) assert(buffer[139] == buffer[0]);
}

static void* reader(void* unused) {
  (void)unused;
  for (int i = 0; i < kRounds; i++) {
    receive(i);
    __atomic_store_n(&answered, i + 1, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  return 0;
}

static void* watcher(void* unused) {
  (void)unused;
  unsigned long looks = 0, changes = 0, sum = 0;
  char before = 0;
  while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
    looks++;
    char now = (char)(*(volatile char*)&buffer[60] + *(volatile short*)&polled.revents + *(volatile unsigned char*)&events[0].data.u64);
    if (now != before) changes++, sum = sum * 31 + looks;
    before = now;
  }
  printf("%lu changes in %lu looks: %lx\n", changes, looks, sum);
  return 0;
}

int main(void) {
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  pthread_t threads[2];
  pthread_create(&threads[0], 0, reader, 0);
  pthread_create(&threads[1], 0, watcher, 0);
  for (int i = 0; i < kRounds; i++) {
    char text[110];
    for (unsigned k = 0; k < sizeof text; k++) text[k] = (char)('a' + i % 26);
    assert(write(ends[1], text, sizeof text) == sizeof text);
    while (__atomic_load_n(&answered, __ATOMIC_ACQUIRE) <= i) usleep(300);
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
