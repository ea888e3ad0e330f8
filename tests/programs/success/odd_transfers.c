// expect: clean   What the kernel answers at once is not waited for: nothing to transfer, the wrong end, too many parts, sizes below zero.
// cflags: -D_GNU_SOURCE
// record: none, the hook of writev() walks the memory that a length below zero says (runtime/hooks/library.cc)
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
static char bytes[8192];
static struct iovec parts[1100];
#define FAILS(call, why) (errno = 0, assert((call) == -1), assert(errno == (why)))
int main(void) {
  int p[2], s[2];
  if (pipe(p) || socketpair(AF_UNIX, SOCK_STREAM, 0, s)) return 0;
  for (int i = 0; i < 1100; i++) parts[i] = (struct iovec){bytes, 8};
  FAILS(writev(p[1], parts, 1100), EINVAL);
  FAILS(writev(s[1], parts, 1100), EINVAL);
  FAILS(readv(p[0], parts, 1100), EINVAL);
  FAILS(writev(p[1], parts, -1), EINVAL);
  parts[1].iov_len = (size_t)-1;
  FAILS(writev(p[1], parts, 3), EINVAL);
  parts[1] = (struct iovec){(void*)(1ull << 62), 8};
  parts[0].iov_len = sizeof bytes;
  FAILS(writev(p[1], parts, 3), EFAULT);
  struct msghdr m = {.msg_iov = parts, .msg_iovlen = 1100};
  FAILS(sendmsg(s[0], &m, 0), EMSGSIZE);
  FAILS(recvmsg(s[0], &m, 0), EMSGSIZE);
  assert(read(p[0], bytes, 0) == 0 && read(s[0], bytes, 0) == 0 && write(p[1], bytes, 0) == 0);
  FAILS(read(p[1], bytes, 1), EBADF);
  FAILS(write(p[0], bytes, sizeof bytes), EBADF);
  FAILS(pwrite(p[1], bytes, sizeof bytes, 0), ESPIPE);
  FAILS(pread(p[0], bytes, 1, 0), ESPIPE);
  const int e = eventfd(0, 0);
  uint64_t count = 0;
  bytes[0] = 1;
  FAILS(read(e, bytes, 1), EINVAL);
  const long all = write(e, bytes, sizeof bytes);  // EINVAL since Linux 6.8
  assert(all == 8 || (all == -1 && write(e, bytes, 8) == 8));
  assert(read(e, &count, sizeof count) == 8 && count == 1);
  // Packets are as long as the kernel makes them.
  int q[2];
  if (pipe2(q, O_DIRECT)) return 0;
  parts[0].iov_len = 100, parts[1] = (struct iovec){bytes, sizeof bytes - 100};
  assert(writev(q[1], parts, 2) == sizeof bytes);
  assert(read(q[0], bytes, sizeof bytes) == 4096 && read(q[0], bytes, sizeof bytes) == 4096);
  return 0;
}
