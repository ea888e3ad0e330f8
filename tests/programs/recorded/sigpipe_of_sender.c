// expect: clean
// laws: none, thousands of signals
// SIGPIPE is for the thread that writes, and is there when its call returns; others have calls of their own meanwhile.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
enum { kRounds = 2000 };
static int fd[2];
static _Thread_local volatile int mine;
static atomic_int done, others;
static void broken(int n) {
  (void)n;
  mine++;
}
static void* calls(void* p) {
  while (!done) umask(022);
  others += mine;
  return p;
}
int main(void) {
  static char bytes[100];
  struct iovec part = {bytes, sizeof bytes};
  struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
  struct sigaction a = {.sa_handler = broken};
  pthread_t t;
  int missed = 0;
  sigaction(SIGPIPE, &a, NULL);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) || fcntl(fd[0], F_SETFL, O_NONBLOCK) || close(fd[1])) return 1;
  pthread_create(&t, NULL, calls, NULL);
  for (int i = 0; i < kRounds; i++) {
    const int before = mine;
    const ssize_t n = i % 2 ? sendmsg(fd[0], &m, 0) : write(fd[0], bytes, sizeof bytes);
    if (n >= 0 || errno != EPIPE) return 2;
    missed += mine != before + 1;
  }
  done = 1;
  pthread_join(t, NULL);
  printf("%d missed, %d elsewhere\n", missed, others);
  return missed || others ? 3 : 0;
}
