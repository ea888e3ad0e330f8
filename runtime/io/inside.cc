// Waits that only the program itself can end: for a pipe, a pair of sockets, an eventfd, a timerfd, an epoll set of
// these, a signal. The thread keeps under control: whether the kernel would execute the call now is the predicate of
// its step. So when it goes on is a choice of the schedule and nothing else, equal seeds give equal runs, and its
// time-out is one in virtual time, which can end early (expiry.h).
//
//   recording:  execute if it would not block; else  record WAITED, step IO_RETURN (ready, deadline), and again;
//               what it waits for was given to another process meanwhile: leaves, as others do (record.cc)
//   replay:     record WAITED, step IO_RETURN, and again
//
// Rules of this file: predicates run on any kernel thread, perhaps without TLS: raw system calls only, on copies of
// what the program wrote.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "runtime/arena.h"
#include "runtime/control/control.h"
#include "runtime/io/buffers.h"
#include "runtime/io/descriptors.h"
#include "runtime/io/stream.h"
#include "runtime/io/vectors.h"

namespace heddle::rt {
namespace {

constexpr uint64_t kMostPolled = 1024;
constexpr uint64_t kSmallWrite = 4096;  // what polls writable takes this much at once
uint64_t changes = 1;                   // calls that may have made something ready

struct Waiting {
  Call& call;
  ThreadIo& io;
  uint64_t let_out;  // descriptors_let_out when the wait began
  uint64_t asked_at = 0;
  bool answer = false;

  // Somebody outside the program may end it now, too.
  bool is_over() const { return io_others_may_act || let_out != descriptors_let_out; }
};

struct Copies {
  pollfd polled[kMostPolled];
  char sets[3][kMostPolled / 8 + 8];
};
Copies& copies() {
  static Copies* here = nullptr;
  if (!here) here = static_cast<Copies*>(arena_allocate_cold(sizeof(Copies)));
  return *here;
}

// Copies of what the call waits for; false: too many, or a bad pointer.
bool copy_polled(const Call& c) {
  return (uint64_t)c.a[1] <= kMostPolled &&
         read_program(copies().polled, (uint64_t)c.a[0], (uint64_t)c.a[1] * sizeof(pollfd));
}
bool copy_sets(const Call& c) {
  if (c.a[0] < 0 || (uint64_t)c.a[0] > kMostPolled) return false;
  const size_t bytes = ((size_t)c.a[0] + 63) / 64 * 8;
  for (int i = 0; i < 3; i++)
    if (c.a[i + 1] && !read_program(copies().sets[i], (uint64_t)c.a[i + 1], bytes)) return false;
  return true;
}

bool polled_inside(const Call& c) {
  if (!copy_polled(c)) return false;
  for (long i = 0; i < c.a[1]; i++)
    if (!never_from_outside(copies().polled[i].fd)) return false;
  return true;
}
bool selected_inside(const Call& c) {
  if (!copy_sets(c)) return false;
  for (long fd = 0; fd < c.a[0]; fd++)
    for (int i = 0; i < 3; i++)
      if (c.a[i + 1] && (copies().sets[i][fd / 8] >> fd % 8 & 1) && !never_from_outside(fd)) return false;
  return true;
}

// The program may reuse what it points to only when the call has returned: what was copied before is still what it
// waits for.
bool is_ready(const Call& c) {
  timespec zero{0, 0};
  switch (c.policy.wait) {
    case Wait::READ: case Wait::RECV: case Wait::RECVMSG: case Wait::EPOLL: return polls_ready(c.a[0], POLLIN);
    case Wait::WRITE: case Wait::WRITEV: case Wait::SEND: case Wait::SENDMSG: return polls_ready(c.a[0], POLLOUT);
    case Wait::POLL: return !copy_polled(c) || raw_syscall(SYS_ppoll, copies().polled, c.a[1], &zero, nullptr, 8) != 0;
    case Wait::SELECT: {
      if (!copy_sets(c)) return true;
      auto set = [&](int i) { return c.a[i + 1] ? copies().sets[i] : nullptr; };
      return raw_syscall(SYS_pselect6, c.a[0], set(0), set(1), set(2), &zero, nullptr) != 0;
    }
    case Wait::SIGWAIT: {
      uint64_t set = 0;
      return !read_program(&set, (uint64_t)c.a[0], sizeof set) || has_blocked(c.thread, set);
    }
    default: return false;
  }
}

bool ends_wait(void* argument) {
  auto& w = *static_cast<Waiting*>(argument);
  if (signals_due(w.io) || cancel_pending(w.call.thread) || w.is_over()) return true;
  if (w.asked_at != changes || control.out)
    w.asked_at = changes, w.answer = is_ready(w.call);  // who is out tells nobody what it does
  return w.answer;
}

bool never(void*) { return false; }

bool is_nonblocking_call(const Call& c) {
  switch (c.policy.wait) {
    case Wait::RECV: case Wait::SEND: if (c.a[3] & MSG_DONTWAIT) return true; break;
    case Wait::RECVMSG: case Wait::SENDMSG: if (c.a[2] & MSG_DONTWAIT) return true; break;
    case Wait::READ: case Wait::WRITE: case Wait::WRITEV: break;
    default: return false;
  }
  return is_nonblocking(c.a[0]);
}

// What the descriptor itself says about how long a call may wait (SO_RCVTIMEO); ~0 for ever.
uint64_t socket_timeout(const Call& c) {
  int option;
  switch (c.policy.wait) {
    case Wait::READ: case Wait::RECV: case Wait::RECVMSG: option = SO_RCVTIMEO; break;
    case Wait::WRITE: case Wait::WRITEV: case Wait::SEND: case Wait::SENDMSG: option = SO_SNDTIMEO; break;
    default: return ~0ull;
  }
  timeval t{};
  socklen_t size = sizeof t;
  if (raw_syscall(SYS_getsockopt, c.a[0], SOL_SOCKET, option, &t, &size) != 0 || (!t.tv_sec && !t.tv_usec))
    return ~0ull;
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

enum class Channel { kNone, kPipe, kStream, kPackets };

Channel channel_of(long fd) {
  struct stat st;
  int type = 0;
  socklen_t size = sizeof type;
  if (raw_syscall(SYS_fstat, fd, &st) != 0) return Channel::kNone;
  if (S_ISFIFO(st.st_mode)) return Channel::kPipe;
  if (!S_ISSOCK(st.st_mode) || raw_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
    return Channel::kNone;
  return type == SOCK_STREAM ? Channel::kStream : Channel::kPackets;
}

bool is_vector_call(const Call& c) {
  return c.number == SYS_readv || c.number == SYS_preadv2 || c.number == SYS_writev || c.number == SYS_pwritev2;
}

// Bytes that a stream has still to take, one part after the other, as many as fit: what polls writable need not take
// all of them. The program's iovec is read once, since others may change it; what the kernel would refuse as a whole is
// left to it.
class Parts {
 public:
  explicit Parts(const Call& c) : call_(c) {
    uint64_t iov = 0, count = 1;
    switch (c.number) {
      case SYS_write: case SYS_sendto: one_ = {(void*)c.a[1], (size_t)c.a[2]}; break;
      case SYS_writev: case SYS_pwritev2: iov = (uint64_t)c.a[1], count = (uint64_t)c.a[2]; break;
      case SYS_sendmsg:
        if (!read_program(&header_, (uint64_t)c.a[1], sizeof header_)) return;
        iov = (uint64_t)header_.msg_iov, count = header_.msg_iovlen;
        break;
      default: return;
    }
    if (count < 1 || count > kMostParts) return;
    const uint64_t bytes = iov ? vector_bytes(iov, count, kSmallWrite) : one_.iov_len;
    channel_ = bytes ? channel_of(c.a[0]) : Channel::kNone;
    if (channel_ != Channel::kStream && (channel_ != Channel::kPipe || bytes <= kSmallWrite)) return;
    parts_ = iov ? copy_of(iov, count) : &one_;
    if (parts_) count_ = count, total_ = sum();
  }
  bool needed() const { return total_ != 0; }
  bool complete() const { return done_ == total_; }
  uint64_t done() const { return done_; }

  // The next one, which fits; 0 and -EAGAIN: none does now.
  long write_next() {
    while (!parts_->iov_len) parts_++, count_--;
    uint64_t n = 0, bytes = 0;
    while (n < count_ && bytes < kSmallWrite) bytes += parts_[n++].iov_len;
    const uint64_t beyond = bytes > kSmallWrite ? bytes - kSmallWrite : 0;
    parts_[n - 1].iov_len -= beyond;
    const long taken = write(n);
    parts_[n - 1].iov_len += beyond;
    advance(taken > 0 ? (uint64_t)taken : 0);
    return taken;
  }

  // The call that writes what is left.
  Call rest() {
    Call c = call_;
    switch (c.number) {
      case SYS_write: case SYS_sendto: c.a[1] = (long)parts_->iov_base, c.a[2] = (long)parts_->iov_len; break;
      case SYS_sendmsg: c.a[1] = (long)header_of(count_); break;
      default: c.a[1] = (long)parts_, c.a[2] = (long)count_; break;
    }
    return c;
  }

 private:
  // Null: it cannot be read, or the kernel would refuse it.
  iovec* copy_of(uint64_t iov, uint64_t count) {
    auto* const to = reinterpret_cast<iovec*>(landing_of(call_.thread));
    return read_program(to, iov, count * sizeof(iovec)) ? to : nullptr;
  }
  uint64_t sum() const {
    constexpr uint64_t kMostAtOnce = 0x7ffff000,
                       kMostAddress = 1ull << 47;  // MAX_RW_COUNT; what the kernel does not look at any more
    uint64_t total = 0;
    for (uint64_t i = 0; i < count_; i++) {
      const uint64_t at = (uint64_t)parts_[i].iov_base, bytes = parts_[i].iov_len;
      if (bytes > kMostAddress || at > kMostAddress - bytes) return 0;
      const uint64_t part = bytes < kMostAtOnce - total ? bytes : kMostAtOnce - total;
      parts_[i].iov_len = part;
      total += part;
    }
    return total;
  }
  void advance(uint64_t bytes) {
    done_ += bytes;
    while (bytes) {
      const uint64_t part = bytes < parts_->iov_len ? bytes : parts_->iov_len;
      parts_->iov_base = (char*)parts_->iov_base + part;
      parts_->iov_len -= part;
      bytes -= part;
      if (!parts_->iov_len && count_ > 1) parts_++, count_--;
    }
  }
  msghdr* header_of(uint64_t count) {
    header_.msg_iov = parts_, header_.msg_iovlen = count;
    if (done_) header_.msg_control = nullptr, header_.msg_controllen = 0;  // went with the first
    return &header_;
  }
  long write(uint64_t count) {
    if (channel_ == Channel::kPipe) {
      if (!control.out) return raw_syscall(SYS_writev, call_.a[0], parts_, count);
      const long n = raw_syscall(SYS_pwritev2, call_.a[0], parts_, count, -1, 0, RWF_NOWAIT);
      return n != -EOPNOTSUPP ? n : raw_syscall(SYS_writev, call_.a[0], parts_, count);
    }
    const long flags = call_.number == SYS_sendto ? call_.a[3] : call_.number == SYS_sendmsg ? call_.a[2] : 0;
    if (call_.number == SYS_sendto) header_.msg_name = (void*)call_.a[4], header_.msg_namelen = (socklen_t)call_.a[5];
    return raw_syscall(SYS_sendmsg, call_.a[0], header_of(count), flags | MSG_DONTWAIT);
  }

  const Call& call_;
  Channel channel_ = Channel::kNone;
  iovec one_{};
  msghdr header_{};
  iovec* parts_ = nullptr;
  uint64_t count_ = 0, total_ = 0, done_ = 0;
};

// Not ready, and yet the kernel has an answer: there is nothing to transfer, or the call is none for this descriptor.
bool is_answered_at_once(const Call& c) {
  switch (c.number) {
    case SYS_read:
    case SYS_readv:
    case SYS_preadv2:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_write:
    case SYS_writev:
    case SYS_pwritev2:
    case SYS_pwrite64: case SYS_pwritev:
      break;
    case SYS_accept: case SYS_accept4: return true;  // no such socket listens
    case SYS_sendmsg: case SYS_recvmsg: {
      msghdr m;
      return !read_program(&m, (uint64_t)c.a[1], sizeof m) || m.msg_iovlen > kMostParts;
    }
    default: return false;
  }
  const long flags = raw_syscall(SYS_fcntl, c.a[0], F_GETFL);
  const bool reads = c.policy.wait == Wait::READ;
  if (failed(flags) || (flags & O_ACCMODE) == (reads ? O_WRONLY : O_RDONLY)) return true;
  const Channel channel = channel_of(c.a[0]);
  const bool has_offset = c.number == SYS_pread64 || c.number == SYS_preadv || c.number == SYS_pwrite64 ||
                          c.number == SYS_pwritev ||
                          ((c.number == SYS_preadv2 || c.number == SYS_pwritev2) && c.a[3] != -1);
  if (has_offset && channel != Channel::kNone) return true;
  if ((is_vector_call(c) || c.number == SYS_preadv || c.number == SYS_pwritev) && (uint64_t)c.a[2] > kMostParts)
    return true;
  const uint64_t least = channel == Channel::kNone ? sizeof(uint64_t) : 1;  // of an eventfd
  const bool vector = is_vector_call(c) || c.number == SYS_preadv || c.number == SYS_pwritev;
  const uint64_t bytes = vector ? vector_bytes((uint64_t)c.a[1], (uint64_t)c.a[2], kSmallWrite) : (uint64_t)c.a[2];
  return bytes < least || bytes > ~0ull >> 1;
}

// What was ready a moment ago. False: who is out in the kernel was faster.
bool execute_ready(const Call& c, long* result) {
  *result = -EOPNOTSUPP;
  if (HEDDLE_UNLIKELY(control.out)) {
    const iovec one{(void*)c.a[1], (size_t)c.a[2]};
    const bool vector = is_vector_call(c);
    const long iov = vector ? c.a[1] : (long)&one, count = vector ? c.a[2] : 1;
    long a[6];
    __builtin_memcpy(a, c.a, sizeof a);
    switch (c.policy.wait) {
      case Wait::READ:
        if (vector || c.number == SYS_read) *result = raw_syscall(SYS_preadv2, c.a[0], iov, count, -1, 0, RWF_NOWAIT);
        break;
      case Wait::WRITE: case Wait::WRITEV:
        if (vector || c.number == SYS_write) *result = raw_syscall(SYS_pwritev2, c.a[0], iov, count, -1, 0, RWF_NOWAIT);
        break;
      default:
        a[c.policy.wait == Wait::RECV || c.policy.wait == Wait::SEND ? 3 : 2] |= MSG_DONTWAIT;
        *result = heddle_raw_syscall(c.number, a[0], a[1], a[2], a[3], a[4], a[5]);
        break;
    }
    if (*result == -EAGAIN) return false;
  }
  if (*result == -EOPNOTSUPP) *result = execute(c);
  return true;
}

bool take_signal(Call& c, long* result) {
  uint64_t set = 0;
  siginfo_t info;
  if (!read_program(&set, (uint64_t)c.a[0], sizeof set)) return *result = -EFAULT, true;
  if (!take_blocked(c.thread, set, &info)) {
    timespec zero{0, 0};
    *result = raw_syscall(c.number, c.a[0], c.a[1], &zero, c.a[3]);
    return *result != -EAGAIN;
  }
  *result = c.a[1] && !write_program((uint64_t)c.a[1], &info, sizeof info) ? -EFAULT : info.si_signo;
  return true;
}

// What it returns when nothing has come, and the sets of a select() that say so.
long say_nothing_came(Call& c) {
  timespec zero{0, 0};
  switch (c.policy.wait) {
    case Wait::POLL: return raw_syscall(SYS_ppoll, c.a[0], c.a[1], &zero, nullptr, 8);
    case Wait::SELECT: return raw_syscall(SYS_pselect6, c.a[0], c.a[1], c.a[2], c.a[3], &zero, nullptr);
    case Wait::EPOLL: return 0;
    default: return -EAGAIN;
  }
}

// Executes it if it would not block.
bool execute_now(Call& c, Parts& parts, long* result) {
  switch (c.policy.wait) {
    case Wait::SIGWAIT: return take_signal(c, result);
    case Wait::SIGSUSPEND: case Wait::ALWAYS: return false;
    case Wait::POLL: case Wait::SELECT:
      if (!is_ready(c) && c.timeout != 0) return false;
      *result = say_nothing_came(c);
      return *result != 0 || c.timeout == 0;
    case Wait::EPOLL:
      *result = raw_syscall(SYS_epoll_pwait, c.a[0], c.a[1], c.a[2], 0, nullptr, 8);
      return *result != 0 || c.timeout == 0;
    default: break;
  }
  if (parts.needed()) {
    while (!parts.complete()) {
      if (!is_ready(c)) return !parts.done() && is_answered_at_once(c) && (*result = execute(c), true);
      const long n = parts.write_next();
      if (n == -EAGAIN) return false;
      if (n <= 0) return *result = parts.done() ? (long)parts.done() : n, true;
    }
    *result = (long)parts.done();
    return true;
  }
  if (is_ready(c)) return execute_ready(c, result);
  return is_answered_at_once(c) && (*result = execute(c), true);
}

bool waits_for_all(const Call& c) {
  return (c.policy.wait == Wait::RECV && (c.a[3] & MSG_WAITALL)) ||
         (c.policy.wait == Wait::RECVMSG && (c.a[2] & MSG_WAITALL));
}

// False: somebody outside may end it now.
bool wait_here(Call& c, ThreadIo& io, uint64_t deadline) {
  inside_changed();  // it may have written a part
  RecordWriter left;
  left.append(&c.timeout, sizeof c.timeout);
  left.commit(c.thread, HEDDLE_IN_SYSCALL, (uint16_t)c.number, 0, kInputWaited);
  Waiting w{c, io, descriptors_let_out};
  c.thread.io.waits_inside = true;
  control.inside_waits++;
  point_waiting(op_of(c, HEDDLE_EV_IO_RETURN), ends_wait, &w, deadline);
  control.inside_waits--;
  c.thread.io.waits_inside = false;
  return !w.is_over() || waits_inside(c);
}

// As sendmsg and pwritev2 with flags that say how the bytes are sent.
bool has_odd_flags(const Call& c) {
  if (c.number == SYS_preadv2 || c.number == SYS_pwritev2) return c.a[5] != 0;
  return (c.policy.wait == Wait::SEND && (c.a[3] & MSG_OOB)) || (c.policy.wait == Wait::SENDMSG && (c.a[2] & MSG_OOB));
}

}  // namespace

void inside_changed() {
  changes++;
  if (control.inside_waits) model_changed();
}

static bool leaves_control;
void waits_leave_control() { leaves_control = true; }

bool waits_inside(const Call& c) {
  if (leaves_control || feeding() || io_others_may_act || region->run.outside) return false;
  switch (c.policy.wait) {
    case Wait::READ:
    case Wait::RECV:
    case Wait::RECVMSG:
    case Wait::WRITE:
    case Wait::WRITEV:
    case Wait::SEND:
    case Wait::SENDMSG:
      return is_inside(c.a[0]) && !is_nonblocking_call(c) && !waits_for_all(c) && !has_odd_flags(c);
    case Wait::POLL: return polled_inside(c);
    case Wait::SELECT: return selected_inside(c);
    case Wait::EPOLL: return is_inside(c.a[0]);
    case Wait::SIGWAIT: return keeps_blocked_signals();
    case Wait::SIGSUSPEND: return true;
    case Wait::ALWAYS: return c.number == SYS_pause;
    default: return false;
  }
}

bool execute_inside(Call& c, long* result, bool* timed_out) {
  ThreadIo& io = io_of(c.thread);
  if (!read_timeout(c)) return *result = -EFAULT, true;
  if (c.timeout == ~0ull) c.timeout = socket_timeout(c);
  const uint64_t deadline = c.timeout == ~0ull ? 0 : deadline_in(c.timeout);
  const WithoutSignals here(c.thread);
  Parts parts(c);
  const auto with_part = [&](long otherwise) { return parts.done() ? (long)parts.done() : otherwise; };
  for (;;) {
    if (execute_now(c, parts, result)) return true;
    if (signals_due(io) || cancel_pending(c.thread)) return *result = with_part(-EINTR), true;
    if (deadline && control.now >= deadline) {
      *timed_out = true;
      return *result = parts.done() ? (long)parts.done() : say_nothing_came(c), true;
    }
    if (wait_here(c, io, deadline)) continue;
    if (!parts.done()) return false;
    Call rest = parts.rest();
    const long n = execute_leaving(rest, 0);
    *result = (long)parts.done() + (n > 0 ? n : 0);
    return true;
  }
}

void feed_inside(Call& c) {
  ThreadIo& io = io_of(c.thread);
  const WithoutSignals here(c.thread);
  uint64_t deadline = 0;
  for (const HeddleInput* r; (r = &stream_expect(c))->reserved & kInputWaited;) {
    if (!deadline && r->size >= sizeof c.timeout) {
      __builtin_memcpy(&c.timeout, data_of(*r), sizeof c.timeout);
      if (c.timeout != ~0ull) deadline = deadline_in(c.timeout);
    }
    stream_consume(c.thread, io);
    const HeddleInput* next = stream_peek(io);
    const bool came = next && !(next->reserved & kInputTimedOut);
    c.thread.io.waits_inside = true;
    control.inside_waits++;
    point_waiting(op_of(c, HEDDLE_EV_IO_RETURN), came ? nullptr : never, nullptr, deadline);
    control.inside_waits--;
    c.thread.io.waits_inside = false;
  }
}

}  // namespace heddle::rt
