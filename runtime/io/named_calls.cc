// System calls under the names that libc gives them. What they do is done by dispatch.cc, as for calls that are
// trapped; but a trap costs two to four microseconds, and servers make many. Calls from inside libc, or by other names,
// are trapped.
//
// Rules of this file: the names are weak, since a program may have its own; a call that would not be trapped goes to
// libc.
#include "runtime/io/named_calls.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/real/real.h"

namespace heddle::rt {
namespace {

template <class Result, class... Parameters, class... Arguments>
__attribute__((always_inline)) inline Result call(Result (*real)(Parameters...), long number, Arguments... arguments) {
  const long words[6] = {(long)arguments...};
  const long result = named_call(number, words, (char*)real + 1, __builtin_frame_address(0));
  if (HEDDLE_LIKELY((unsigned long)result < -4095ul)) return (Result)result;
  errno = (int)-result;
  return -1;
}

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;

// `...`: the arguments of the system call.
#define HEDDLE_NAMED(result, name, parameters, arguments, number, ...)                                 \
  HEDDLE_EXPORT __attribute__((weak)) result name parameters {                                         \
    if (HEDDLE_LIKELY(!is_trapped())) return HEDDLE_REAL(name) arguments;                              \
    return call(HEDDLE_REAL(name), number, __VA_ARGS__);                                               \
  }

HEDDLE_NAMED(ssize_t, read, (int fd, void* p, size_t n), (fd, p, n), SYS_read, fd, p, n)
HEDDLE_NAMED(ssize_t, write, (int fd, const void* p, size_t n), (fd, p, n), SYS_write, fd, p, n)
HEDDLE_NAMED(ssize_t, readv, (int fd, const iovec* v, int n), (fd, v, n), SYS_readv, fd, v, n)
HEDDLE_NAMED(ssize_t, writev, (int fd, const iovec* v, int n), (fd, v, n), SYS_writev, fd, v, n)
HEDDLE_NAMED(ssize_t, pread64, (int fd, void* p, size_t n, off_t at), (fd, p, n, at), SYS_pread64, fd, p, n, at)
HEDDLE_NAMED(ssize_t, pwrite64, (int fd, const void* p, size_t n, off_t at), (fd, p, n, at), SYS_pwrite64, fd, p, n, at)
HEDDLE_NAMED(ssize_t, send, (int fd, const void* p, size_t n, int flags), (fd, p, n, flags), SYS_sendto, fd, p, n,
             flags)
HEDDLE_NAMED(ssize_t, sendto, (int fd, const void* p, size_t n, int flags, const sockaddr* to, socklen_t bytes),
             (fd, p, n, flags, to, bytes), SYS_sendto, fd, p, n, flags, to, bytes)
HEDDLE_NAMED(ssize_t, sendmsg, (int fd, const msghdr* m, int flags), (fd, m, flags), SYS_sendmsg, fd, m, flags)
HEDDLE_NAMED(ssize_t, recv, (int fd, void* p, size_t n, int flags), (fd, p, n, flags), SYS_recvfrom, fd, p, n, flags)
HEDDLE_NAMED(ssize_t, recvfrom, (int fd, void* p, size_t n, int flags, sockaddr* from, socklen_t* bytes),
             (fd, p, n, flags, from, bytes), SYS_recvfrom, fd, p, n, flags, from, bytes)
HEDDLE_NAMED(ssize_t, recvmsg, (int fd, msghdr* m, int flags), (fd, m, flags), SYS_recvmsg, fd, m, flags)
HEDDLE_NAMED(int, poll, (pollfd * p, nfds_t n, int timeout), (p, n, timeout), SYS_poll, p, n, timeout)
HEDDLE_NAMED(int, epoll_wait, (int fd, epoll_event* e, int n, int timeout), (fd, e, n, timeout), SYS_epoll_wait, fd, e,
             n, timeout)
