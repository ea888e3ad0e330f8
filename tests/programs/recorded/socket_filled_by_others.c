// expect: clean
// laws: none, who fills the socket is decided outside
// One thread sends without waiting, one may wait, on the same socket, and main drains it without waiting: who waits must not keep it from that.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
enum { kRounds = 2000 };
static int fd[2];
static atomic_int done;
static char big[60000], little[100];
static void* pours(void* p) {
  struct iovec part = {big, sizeof big};
  struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
  while (!done) sendmsg(fd[0], &m, MSG_DONTWAIT);
  return p;
}
static void* drips(void* p) {
  for (int i = 0; i < kRounds; i++)
    if (write(fd[0], little, sizeof little) != sizeof little) _exit(2);
  done = 1;
  return p;
}
int main(void) {
  static char in[65536];
  int least = 4608;
  pthread_t t[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) || setsockopt(fd[0], SOL_SOCKET, SO_SNDBUF, &least, sizeof least)) return 1;
  pthread_create(&t[0], NULL, pours, NULL);
  pthread_create(&t[1], NULL, drips, NULL);
  while (!done)
    if (recv(fd[1], in, sizeof in, MSG_DONTWAIT) == 0) return 3;
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  puts("drained");
  return 0;
}
