// expect: clean
// A socket that does not block is made to block again, through another descriptor or by ioctl(); a large write then waits for its reader, and must
// not wait with everybody else.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
enum { kLarge = 600 * 1024 };
static int ends[2];
static char sent[kLarge], got[kLarge];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int rounds_asked;

static void* reader(void* p) {
  for (int round = 1; round <= 2; round++) {
    pthread_mutex_lock(&lock);
    while (rounds_asked < round) pthread_cond_wait(&go, &lock);
    pthread_mutex_unlock(&lock);
    for (ssize_t n, left = kLarge; left > 0; left -= n)
      if ((n = read(ends[1], got, (size_t)left)) <= 0) return p;
  }
  return 0;
}

int main(void) {
  pthread_t t;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
  pthread_create(&t, 0, reader, ends);
  for (int round = 1; round <= 2; round++) {
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    for (int i = 0; i < 3; i++)
      if (write(ends[0], sent, 1) != 1) return 2;
    const int other = dup(ends[0]), off = 0;
    if (round == 1 ? fcntl(other, F_SETFL, 0) : ioctl(other, FIONBIO, &off)) return 3;
    close(other);
    pthread_mutex_lock(&lock);
    rounds_asked = round;
    pthread_cond_signal(&go);
    pthread_mutex_unlock(&lock);
    const ssize_t n = write(ends[0], sent, kLarge - 3);
    printf("%zd %d\n", n, n < 0 ? errno : 0);
  }
  void* bad;
  pthread_join(t, &bad);
  return bad != 0;
}
