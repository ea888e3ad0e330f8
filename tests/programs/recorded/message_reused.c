// expect: clean
// As buffer_reused.c, with messages: what goes out is gathered from several parts, its length tells, and a descriptor goes along now and then.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
enum { kRounds = 2000, kBytes = 3000 };
static int there[2], back[2];
static char head[64], body[kBytes];
static void* answers(void* p) {
  static char got[sizeof head + kBytes];
  for (int i = 0; i < kRounds; i++) {
    char control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {got, sizeof got};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t n;
    while ((n = recvmsg(there[0], &m, 0)) <= 0) m.msg_controllen = sizeof control;
    if (m.msg_controllen) {
      int fd;
      memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
      close(fd);
    }
    head[0] = (char)n;
    body[50] = (char)(got[0] + i);
    if (write(back[1], "", 1) != 1) return NULL;
  }
  return p;
}
int main(void) {
  pthread_t t;
  long sum = 0;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, there) || pipe(back)) return 1;
  if (fcntl(there[0], F_SETFL, O_NONBLOCK) || fcntl(there[1], F_SETFL, O_NONBLOCK)) return 1;
  pthread_create(&t, NULL, answers, NULL);
  for (int i = 0; i < kRounds; i++) {
    char byte, control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec parts[] = {{head, sizeof head}, {body, (size_t)(kBytes - i)}};
    struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
    if (i % 50 == 0) {
      m.msg_control = control, m.msg_controllen = sizeof control;
      struct cmsghdr* c = CMSG_FIRSTHDR(&m);
      c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof(int));
      memcpy(CMSG_DATA(c), &back[0], sizeof(int));
    }
    const ssize_t all = (ssize_t)sizeof head + kBytes - i;
    if (sendmsg(there[1], &m, 0) != all || read(back[0], &byte, 1) != 1) return 2;
    if (head[0] != (char)all) return 3;
    sum += body[50];
  }
  pthread_join(t, NULL);
  printf("%ld\n", sum);
  return 0;
}
