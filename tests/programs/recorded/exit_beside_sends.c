// expect: clean race
// The process ends while two threads send, each on its own socket and both on a common one; what they see of each other without a lock is in what
// they send. A send that had not returned has no result in the recording, and its thread comes no further in the replay.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int common[2];
static volatile long racy[8];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long guarded;

static void* work(void* argument) {
  const int who = *(int*)argument;
  int own[2];
  char sink[4096];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, own)) abort();
  for (long i = 0;; i++) {
    long words[2] = {racy[i % 8], i};
    racy[(i + who) % 8] = words[0] * 31 + i;
    struct iovec parts[2] = {{&words[0], sizeof words[0]}, {&words[1], sizeof words[1]}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    long sent = i % 3 == 0 ? send(own[0], words, sizeof words, MSG_DONTWAIT) : i % 3 == 1 ? writev(own[0], parts, 2) : sendmsg(common[0], &message, MSG_DONTWAIT);
    racy[who] += sent;
    if (i % 4 == 3) (void)!recv(i % 8 == 3 ? own[1] : common[1], sink, sizeof sink, MSG_DONTWAIT);
    pthread_mutex_lock(&lock);
    guarded += racy[who];
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

int main(void) {
  static int numbers[2] = {1, 2};
  pthread_t t[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, common)) abort();
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, &numbers[i]);
  for (int i = 0; i < 20; i++) {
    usleep(100);
    pthread_mutex_lock(&lock);
    printf("%ld %ld\n", guarded, racy[i % 8]);
    pthread_mutex_unlock(&lock);
  }
  exit(0);
}
