// expect: clean
// Data handed on through pipes, socket pairs, POSIX and System V message queues: all of them order the threads.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
struct Letter {
  long type;
  int* data;
};
static int pipe_fd[2], sockets[2], queue_id, values[4];
static mqd_t queue;
static void* receives(void* unused) {
  int *p = NULL, sum = 0;
  if (read(pipe_fd[0], &p, sizeof p) != sizeof p) return NULL;
  sum += ++*p;
  char name[8];
  struct iovec v[2] = {{name, 4}, {&p, sizeof p}};
  struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
  if (recvmsg(sockets[1], &m, 0) != 12 || strcmp(name, "abc")) return NULL;
  sum += ++*p;
  if (mq_receive(queue, (char*)&p, sizeof p, NULL) != sizeof p) return NULL;
  sum += ++*p;
  struct Letter letter;
  if (msgrcv(queue_id, &letter, sizeof letter.data, 0, 0) != sizeof letter.data) return NULL;
  sum += ++*letter.data;
  (void)unused;
  return (void*)(long)sum;
}
int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/heddle-test-%d", (int)getpid());
  struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = sizeof(int*)};
  queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
  if (queue == (mqd_t)-1) return 0;  // none here
  mq_unlink(name);
  queue_id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
  if (queue_id < 0 || pipe(pipe_fd) || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets)) return 1;
  pthread_t t;
  pthread_create(&t, NULL, receives, NULL);
  int* p = &values[0];
  *p = 1;
  if (write(pipe_fd[1], &p, sizeof p) != sizeof p) return 1;
  p = &values[1];
  *p = 2;
  struct iovec v[2] = {{"abc", 4}, {&p, sizeof p}};
  struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
  if (sendmsg(sockets[0], &m, 0) != 12) return 1;
  int* q = &values[2];
  *q = 3;
  if (mq_send(queue, (char*)&q, sizeof q, 0)) return 1;
  struct Letter letter = {1, &values[3]};
  values[3] = 4;
  if (msgsnd(queue_id, &letter, sizeof letter.data, 0)) return 1;
  void* sum;
  pthread_join(t, &sum);
  msgctl(queue_id, IPC_RMID, NULL);
  assert((long)sum == 14 && values[3] == 5);
  return 0;
}
