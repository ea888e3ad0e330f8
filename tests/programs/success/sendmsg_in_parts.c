// expect: clean   A message larger than a stream takes at once: its sender waits for the reader, under control.
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
enum { kBytes = 1 << 20 };
static int ends[2];
static char sent[kBytes], got[kBytes];
static void* reads(void* unused) {
  for (long n = 0, r; n < kBytes; n += r)
    if ((r = read(ends[1], got + n, 5000)) <= 0) assert(!"closed");
  return unused;
}
int main(void) {
  for (int i = 0; i < kBytes; i++) sent[i] = (char)(i % 251);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 0;
  pthread_t t;
  pthread_create(&t, 0, reads, 0);
  struct iovec v[3] = {{sent, 1}, {sent + 1, 0}, {sent + 1, kBytes - 1}};
  struct msghdr m = {.msg_iov = v, .msg_iovlen = 3};
  assert(sendmsg(ends[0], &m, 0) == kBytes);
  pthread_join(t, 0);
  assert(memcmp(sent, got, kBytes) == 0);
  return 0;
}
