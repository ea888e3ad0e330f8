// Calls that may block: done at once where the kernel says they will not, else outside control.
//
// Rules of this file: "ready" may be wrong only in the harmless direction (leaving without need). What another thread
// of the program has to do first (drain a pipe, send a message) must never be waited for with the baton in hand.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "runtime/arena.h"
#include "runtime/control/backend.h"
#include "runtime/control/control.h"
#include "runtime/io/buffers.h"
#include "runtime/io/call.h"
#include "runtime/io/descriptors.h"
#include "runtime/io/vectors.h"

namespace heddle::rt {
namespace {

constexpr uint64_t kSmallWrite = 4096;  // PIPE_BUF: a pipe that polls writable takes this much at once

bool nonblocking(long fd) {
  long flags = raw_syscall(SYS_fcntl, fd, F_GETFL);
  return failed(flags) || (flags & O_NONBLOCK);
}

// Somebody of ours is out and may take what is there, or fill what is free, before we do: then the answer of poll() is
// worth nothing.
bool others_are_out() { return control.out != 0 || sends_under_way(); }

bool can_read(long fd) { return is_file(fd) || (!others_are_out() && polls_ready(fd, POLLIN)) || nonblocking(fd); }

bool can_write(long fd, uint64_t bytes) {
  // Whoever reads our original stdout and stderr is outside the program: waiting for them needs no other thread of it.
  if (outer_descriptor(fd) >= 0 || is_file(fd)) return true;
  if (bytes <= kSmallWrite && !others_are_out() && polls_ready(fd, POLLOUT)) return true;
  return nonblocking(fd);
}

uint64_t message_bytes(uint64_t header) {
  msghdr m;
  return read_program(&m, header, sizeof m) ? vector_bytes((uint64_t)m.msg_iov, m.msg_iovlen, kSmallWrite) : 0;
}

bool is_fifo(long directory, long path, long flags) {
  if (flags & (O_NONBLOCK | O_PATH) || (flags & O_ACCMODE) == O_RDWR) return false;
  struct stat st;
  return raw_syscall(SYS_newfstatat, directory, path, &st, 0) == 0 && S_ISFIFO(st.st_mode);
}

uint64_t nanoseconds(uint64_t seconds, uint64_t rest) {
  return seconds > (1ull << 32) ? ~0ull - 1 : seconds * 1000000000u + rest;
}

}  // namespace

bool polls_ready(long fd, short events) {
  pollfd p{(int)fd, events, 0};
  timespec zero{0, 0};
  return raw_syscall(SYS_ppoll, &p, 1, &zero, nullptr, 8) != 0;
}

bool read_timeout(Call& c) {
  long pointer = 0;
  bool micro = false;
  switch (c.number) {
    case SYS_poll: c.timeout = (int)c.a[2] < 0 ? ~0ull : (uint64_t)(int)c.a[2] * 1000000u; return true;
    case SYS_epoll_wait: case SYS_epoll_pwait:
      c.timeout = (int)c.a[3] < 0 ? ~0ull : (uint64_t)(int)c.a[3] * 1000000u;
      return true;
    case SYS_ppoll: pointer = c.a[2]; break;
    case SYS_select: pointer = c.a[4], micro = true; break;
    case SYS_pselect6: pointer = c.a[4]; break;
    case SYS_epoll_pwait2: pointer = c.a[3]; break;
    case SYS_rt_sigtimedwait: pointer = c.a[2]; break;
    default: return true;
  }
  if (!pointer) return true;
  uint64_t t[2];
  if (!read_program(t, pointer, sizeof t)) return false;
  c.timeout = nanoseconds(t[0], micro ? t[1] * 1000 : t[1]);
  return true;
}

namespace {

// The same call with a timeout of zero. The kernel clears the sets of select(), so they are kept.
bool select_now(Call& c, long* result) {
  constexpr size_t kMost = 1024;
  if (c.a[0] < 0 || (uint64_t)c.a[0] > kMost * 8) return false;
  static char (*saved)[kMost] = nullptr;
  if (!saved) saved = static_cast<char(*)[kMost]>(arena_allocate_cold(3 * kMost));
  size_t bytes = ((size_t)c.a[0] + 63) / 64 * 8;
  for (int i = 0; i < 3; i++)
    if (c.a[i + 1] && !read_program(saved[i], c.a[i + 1], bytes)) {
      *result = -EFAULT;
      return true;
    }
  long zero[2] = {0, 0};
  *result = raw_syscall(c.number, c.a[0], c.a[1], c.a[2], c.a[3], zero, c.a[5]);
  if (*result != 0 || c.timeout == 0) return true;
  for (int i = 0; i < 3; i++)
    if (c.a[i + 1]) write_program(c.a[i + 1], saved[i], bytes);
  return false;
}

bool wait_now(Call& c, long* result) {
  timespec zero{0, 0};
  if (!read_timeout(c)) {
    *result = -EFAULT;
    return true;
  }
  switch (c.number) {
    case SYS_select: case SYS_pselect6: return select_now(c, result);
    case SYS_poll: *result = raw_syscall(SYS_poll, c.a[0], c.a[1], 0); break;
    case SYS_ppoll: *result = raw_syscall(SYS_ppoll, c.a[0], c.a[1], &zero, c.a[3], c.a[4]); break;
    case SYS_epoll_pwait2: *result = raw_syscall(c.number, c.a[0], c.a[1], c.a[2], &zero, c.a[4], c.a[5]); break;
    default: *result = raw_syscall(c.number, c.a[0], c.a[1], c.a[2], 0, c.a[4], c.a[5]); break;  // epoll
  }
  return *result != 0 || c.timeout == 0;
}

// With a flag that makes the kernel say "not now" instead of blocking.
bool flagged_now(Call& c, int argument, long flag, long not_now, long* result) {
  long a[6];
  __builtin_memcpy(a, c.a, sizeof a);
  bool asked = a[argument] & flag;
  a[argument] |= flag;
  *result = heddle_raw_syscall(c.number, a[0], a[1], a[2], a[3], a[4], a[5]);
  return asked || *result != not_now;
}

bool waitid_now(Call& c, long* result) {
  if (!(c.a[3] & WNOHANG) && !c.a[2]) return false;
  siginfo_t none{};
  if (c.a[2]) write_program(c.a[2], &none, sizeof none);
  flagged_now(c, 3, WNOHANG, 0, result);
  siginfo_t found{};
  if (c.a[2]) read_program(&found, c.a[2], sizeof found);
  return *result != 0 || found.si_pid != 0 || (c.a[3] & WNOHANG);
}

bool fcntl_now(Call& c, long* result) {
  long cmd = c.a[1] == F_SETLKW ? F_SETLK : c.a[1] == 38 /* F_OFD_SETLKW */ ? 37 : -1;
  if (cmd < 0) {
    *result = execute(c);
    return true;
  }
  *result = raw_syscall(SYS_fcntl, c.a[0], cmd, c.a[2]);
  return *result != -EAGAIN && *result != -EACCES;
}

bool sigwait_now(Call& c, long* result) {
  timespec zero{0, 0};
  if (!read_timeout(c)) return *result = -EFAULT, true;
  *result = raw_syscall(c.number, c.a[0], c.a[1], &zero, c.a[3]);
  return *result != -EAGAIN || c.timeout == 0;
}

// A POSIX message queue: a regular file to fstat(), and yet its readers wait.
bool is_queue(const Call& c) { return c.number == SYS_mq_timedreceive || c.number == SYS_mq_timedsend; }
bool queue_moves(const Call& c, short events) {
  return is_queue(c) && (polls_ready(c.a[0], events) || nonblocking(c.a[0]));
}

bool is_ready(Call& c) {
  switch (c.policy.wait) {
    case Wait::NEVER: return true;
    case Wait::READ: return queue_moves(c, POLLIN) || (!is_queue(c) && can_read(c.a[0]));
    case Wait::RECV:
      return (c.a[3] & MSG_DONTWAIT) || (!(c.a[3] & MSG_WAITALL) && can_read(c.a[0])) || nonblocking(c.a[0]);
    case Wait::RECVMSG:
      return (c.a[2] & MSG_DONTWAIT) || (!(c.a[2] & MSG_WAITALL) && can_read(c.a[0])) || nonblocking(c.a[0]);
    case Wait::RECVMMSG: return (c.a[3] & MSG_DONTWAIT) || nonblocking(c.a[0]);
    case Wait::WRITE: return queue_moves(c, POLLOUT) || (!is_queue(c) && can_write(c.a[0], c.a[2]));
    case Wait::WRITEV: return can_write(c.a[0], vector_bytes(c.a[1], c.a[2], kSmallWrite));
    case Wait::SEND: return (c.a[3] & MSG_DONTWAIT) || can_write(c.a[0], c.a[2]);
    case Wait::SENDMSG: return (c.a[2] & MSG_DONTWAIT) || can_write(c.a[0], message_bytes(c.a[1]));
    case Wait::OPEN: return !is_fifo(AT_FDCWD, c.a[0], c.a[1]);
    case Wait::OPENAT: return !is_fifo(c.a[0], c.a[1], c.a[2]);
    case Wait::CONNECT: return nonblocking(c.a[0]);
    case Wait::SPLICE: return is_file(c.a[0]) && is_file(c.a[1]);
    default: return false;
  }
}

bool asks_not_to_wait(const Call& c) {
  return (c.number == SYS_sendto && (c.a[3] & MSG_DONTWAIT)) || (c.number == SYS_sendmsg && (c.a[2] & MSG_DONTWAIT));
}

}  // namespace

bool goes_out_beside_others(const Call& c) {
  const bool sends = c.policy.cls == Class::WRITE || c.number == SYS_sendmsg;
  if (!sends || outer_descriptor(c.a[0]) >= 0) return false;
  return asks_not_to_wait(c) || (!is_file(c.a[0]) && is_nonblocking(c.a[0]));
}

bool execute_if_ready(Call& c, long* result) {
  switch (c.policy.wait) {
    case Wait::POLL: case Wait::SELECT: case Wait::EPOLL: return wait_now(c, result);
    case Wait::WAIT4: return flagged_now(c, 2, WNOHANG, 0, result);
    case Wait::WAITID: return waitid_now(c, result);
    case Wait::FLOCK: return flagged_now(c, 1, LOCK_NB, -EWOULDBLOCK, result);
    case Wait::FCNTL: return fcntl_now(c, result);
    case Wait::MESSAGE: return c.number == SYS_msgsnd ? flagged_now(c, 3, IPC_NOWAIT, -EAGAIN, result)
                                                      : flagged_now(c, 4, IPC_NOWAIT, -ENOMSG, result);
    case Wait::SIGWAIT: return sigwait_now(c, result);
    default: break;
  }
  if (!is_ready(c)) return false;
  *result = execute(c);
  return true;
}

extern "C" long heddle_blocking_syscall(const uint32_t* stop, const long call[7]);

// A signal that comes before the call does not interrupt it, and none interrupts what need not wait: a program that
// writes a byte into an empty pipe knows of no EINTR. True: it was executed.
static bool need_not_wait(Call& c, const long call[7], long* result) {
  switch (c.policy.wait) {
    case Wait::POLL: case Wait::SELECT: case Wait::EPOLL: return wait_now(c, result);
    case Wait::READ: case Wait::RECV: case Wait::RECVMSG:
      if ((c.policy.wait == Wait::RECV && (c.a[3] & MSG_WAITALL)) ||
          (c.policy.wait == Wait::RECVMSG && (c.a[2] & MSG_WAITALL)) || !polls_ready(c.a[0], POLLIN))
        return false;
      break;
    case Wait::WRITE: case Wait::SEND:
      if ((uint64_t)c.a[2] > kSmallWrite || !polls_ready(c.a[0], POLLOUT)) return false;
      break;
    case Wait::WRITEV:
      if (vector_bytes(c.a[1], c.a[2], kSmallWrite) > kSmallWrite || !polls_ready(c.a[0], POLLOUT)) return false;
      break;
    case Wait::SENDMSG:
      if (message_bytes(c.a[1]) > kSmallWrite || !polls_ready(c.a[0], POLLOUT)) return false;
      break;
    default: return false;
  }
  *result = raw_syscall(call[0], call[1], call[2], call[3], call[4], call[5], call[6]);
  return true;
}

long execute_outside(Call& c, ThreadIo& io) {
  // A fiber's own OS thread is parked with all signals blocked: outside it has the mask that the program gave the
  // thread.
  uint64_t parked = 0, wanted = without_sigsys(io.mask);
  bool fiber = on_fibers();
  if (fiber) raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &wanted, &parked, 8);
  long call[7] = {c.number, c.a[0], c.a[1], c.a[2], c.a[3], c.a[4], c.a[5]};
  // Arrived on the way out, while the thread was not yet OUT for io_interrupt().
  if (signals_due(io) || cancel_pending(c.thread)) __atomic_store_n(&io.stop, 1, __ATOMIC_SEQ_CST);
  long result = heddle_blocking_syscall(&io.stop, call);
  if (long done; result == -EINTR && !cancel_pending(c.thread) && need_not_wait(c, call, &done)) result = done;
  if (fiber) raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &parked, nullptr, 8);
  return result;
}

bool virtual_wait(Call& c, long* result) {
  bool no_descriptors = (c.policy.wait == Wait::POLL && c.a[1] == 0) ||
                        (c.policy.wait == Wait::SELECT && !c.a[1] && !c.a[2] && !c.a[3]);
  if (!no_descriptors || !read_timeout(c) || c.timeout == ~0ull) return false;
  *result = sleep_until(c.site, deadline_in(c.timeout)) ? -EINTR : 0;
  return true;
}

void timed_out_until(const Call& c, uint64_t deadline) {
  if (c.timeout != ~0ull && c.timeout != 0) sleep_until(c.site, deadline);
}

}  // namespace heddle::rt
