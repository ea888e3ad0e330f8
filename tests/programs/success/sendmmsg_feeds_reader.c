// expect: clean   Who sends several messages by one call is outside control until all of them are gone: the reader has to notice each part.
// cflags: -D_GNU_SOURCE
// laws: none, a thread is outside
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
enum { kBytes = 150000, kMessages = 4 };
static int ends[2];
static char message[kBytes], got[5000];
static void* sends(void* unused) {
  struct iovec v = {message, kBytes};
  struct mmsghdr m[kMessages] = {};
  for (int i = 0; i < kMessages; i++) m[i].msg_hdr.msg_iov = &v, m[i].msg_hdr.msg_iovlen = 1;
  if (sendmmsg(ends[1], m, kMessages, 0) != kMessages) abort();
  return unused;
}
int main(void) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 0;
  pthread_t t;
  pthread_create(&t, 0, sends, 0);
  for (long n = 0, r; n < kMessages * kBytes; n += r)
    if ((r = read(ends[0], got, sizeof got)) <= 0) abort();
  pthread_join(t, 0);
  return 0;
}
