// expect: clean
// What is sent with MSG_ZEROCOPY is read by the kernel behind the call: it has to be the program's own memory.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
enum { kParts = 60, kBytes = 32768 };
static void* idle(void* p) { return p; }
int main(void) {
  static unsigned char in[kBytes];
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof here;
  int one = 1, room = 4 << 20, listener = socket(AF_INET, SOCK_STREAM, 0), from = socket(AF_INET, SOCK_STREAM, 0);
  char(*parts)[kBytes] = aligned_alloc(4096, kParts * kBytes);
  pthread_t t;
  pthread_create(&t, NULL, idle, NULL);
  pthread_join(t, NULL);
  for (int i = 0; i < kParts; i++) memset(parts[i], i + 1, kBytes);
  if (bind(listener, (struct sockaddr*)&here, size) || listen(listener, 1) || getsockname(listener, (struct sockaddr*)&here, &size)) return 1;
  if (setsockopt(from, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof one)) return puts("no MSG_ZEROCOPY here"), 0;
  setsockopt(from, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  if (connect(from, (struct sockaddr*)&here, size)) return 2;
  const int to = accept(listener, NULL, NULL);
  fcntl(from, F_SETFL, O_NONBLOCK);
  long sent = 0, got = 0, wrong = 0;
  for (int i = 0; i < kParts; i++) {
    struct iovec part = {parts[i], kBytes};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    const ssize_t n = i % 2 ? sendmsg(from, &m, MSG_ZEROCOPY) : send(from, parts[i], kBytes, MSG_ZEROCOPY);
    if (n > 0) sent += n;
    if (n < kBytes) break;
  }
  while (got < sent) {
    const ssize_t n = read(to, in, sizeof in);
    if (n <= 0) return 3;
    for (ssize_t i = 0; i < n; i++, got++) wrong += in[i] != (unsigned char)(got / kBytes + 1);
  }
  printf("%ld wrong\n", wrong);
  return wrong != 0;
}
