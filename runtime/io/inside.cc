// Waits that only the program itself can end: for a pipe, a pair of sockets, an eventfd, a timerfd, an epoll set of these, a signal. The
// thread keeps under control: whether the kernel would execute the call now is the predicate of its step. So when it goes on is a choice of
// the schedule and nothing else, equal seeds give equal runs, and its time-out is one in virtual time, which can end early (expiry.h).
//
//   recording:  execute if it would not block; else  record WAITED, step IO_RETURN (ready, deadline), and again
//   replay:     record WAITED, step IO_RETURN, and again
//
// Rules of this file: predicates run on any kernel thread, perhaps without TLS: raw system calls only, on copies of what the program wrote.
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "runtime/arena.h"
#include "runtime/control/control.h"
#include "runtime/io/descriptors.h"
#include "runtime/io/stream.h"

namespace heddle::rt {
namespace {

constexpr uint64_t kMostPolled = 1024;
constexpr uint64_t kSmallWrite = 4096;  // what polls writable takes this much at once
uint64_t changes = 1;                   // calls that may have made something ready

struct Waiting {
  Call& call;
  ThreadIo& io;
  uint64_t asked_at;
  bool answer;
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
  return (uint64_t)c.a[1] <= kMostPolled && read_program(copies().polled, (uint64_t)c.a[0], (uint64_t)c.a[1] * sizeof(pollfd));
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

// The program may reuse what it points to only when the call has returned: what was copied before is still what it waits for.
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
  if (signals_due(w.io) || cancel_pending(w.call.thread)) return true;
  if (w.asked_at != changes) w.asked_at = changes, w.answer = is_ready(w.call);
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
  if (raw_syscall(SYS_getsockopt, c.a[0], SOL_SOCKET, option, &t, &size) != 0 || (!t.tv_sec && !t.tv_usec)) return ~0ull;
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

// Bytes that the call has still to write, one part after the other, as a pipe takes them.
class Parts {
 public:
  explicit Parts(const Call& c) : call_(c) {
    if (c.policy.wait == Wait::WRITEV) {
      for (long i = 0; i < c.a[2]; i++) {
        iovec v;
        if (!read_program(&v, (uint64_t)c.a[1] + (uint64_t)i * sizeof v, sizeof v)) break;
        total_ += v.iov_len;
      }
    } else if (c.policy.wait == Wait::WRITE || c.policy.wait == Wait::SEND) {
      total_ = (uint64_t)c.a[2];
    }
  }
  bool needed() const { return total_ > kSmallWrite && is_stream(); }
  bool complete() const { return done_ == total_; }
  uint64_t done() const { return done_; }
  // The next one, which fits.
  long write_next() {
    iovec v = rest();
    if (v.iov_len > kSmallWrite) v.iov_len = kSmallWrite;
    const long n = call_.policy.wait == Wait::SEND ? raw_syscall(SYS_sendto, call_.a[0], v.iov_base, v.iov_len, call_.a[3], 0, 0)
                                                   : raw_syscall(SYS_write, call_.a[0], v.iov_base, v.iov_len);
    if (n > 0) done_ += (uint64_t)n;
    return n;
  }

 private:
  bool is_stream() const {
    int type = SOCK_STREAM;
    socklen_t size = sizeof type;
    raw_syscall(SYS_getsockopt, call_.a[0], SOL_SOCKET, SO_TYPE, &type, &size);
    return type == SOCK_STREAM;
  }
  iovec rest() const {
    if (call_.policy.wait != Wait::WRITEV) return {(char*)call_.a[1] + done_, total_ - done_};
    uint64_t before = done_;
    for (long i = 0; i < call_.a[2]; i++) {
      iovec v;
      if (!read_program(&v, (uint64_t)call_.a[1] + (uint64_t)i * sizeof v, sizeof v)) break;
      if (before < v.iov_len) return {(char*)v.iov_base + before, v.iov_len - before};
      before -= v.iov_len;
    }
    return {nullptr, 0};
  }
  const Call& call_;
  uint64_t total_ = 0, done_ = 0;
};

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
      if (!is_ready(c)) return false;
      if (const long n = parts.write_next(); n < 0) return *result = parts.done() ? (long)parts.done() : n, true;
    }
    *result = (long)parts.done();
    return true;
  }
  if (!is_ready(c)) return false;
  *result = execute(c);
  return true;
}

bool waits_for_all(const Call& c) {
  return (c.policy.wait == Wait::RECV && (c.a[3] & MSG_WAITALL)) || (c.policy.wait == Wait::RECVMSG && (c.a[2] & MSG_WAITALL));
}

void wait_here(Call& c, ThreadIo& io, uint64_t deadline) {
  inside_changed();  // it may have written a part
  RecordWriter left;
  left.append(&c.timeout, sizeof c.timeout);
  left.commit(c.thread, HEDDLE_IN_SYSCALL, (uint16_t)c.number, 0, kInputWaited);
  Waiting w{c, io, 0, false};
  c.thread.waits_inside = true;
  control.inside_waits++;
  point_waiting(op_of(c, HEDDLE_EV_IO_RETURN), ends_wait, &w, deadline);
  control.inside_waits--;
  c.thread.waits_inside = false;
}

}  // namespace

void inside_changed() {
  changes++;
  if (control.inside_waits) model_changed();
}

bool waits_inside(Call& c) {
  if (by_hooks || feeding() || io_others_may_act || region->run.outside) return false;
  switch (c.policy.wait) {
    case Wait::READ: case Wait::RECV: case Wait::RECVMSG: case Wait::WRITE: case Wait::WRITEV: case Wait::SEND: case Wait::SENDMSG:
      return is_inside(c.a[0]) && !is_nonblocking_call(c) && !waits_for_all(c);
    case Wait::POLL: return polled_inside(c);
    case Wait::SELECT: return selected_inside(c);
    case Wait::EPOLL: return is_inside(c.a[0]);
    case Wait::SIGWAIT: return keeps_blocked_signals();
    case Wait::SIGSUSPEND: return true;
    case Wait::ALWAYS: return c.number == SYS_pause;
    default: return false;
  }
}

long execute_inside(Call& c, bool* timed_out) {
  ThreadIo& io = io_of(c.thread);
  if (!read_timeout(c)) return -EFAULT;
  if (c.timeout == ~0ull) c.timeout = socket_timeout(c);
  const uint64_t deadline = c.timeout == ~0ull ? 0 : deadline_in(c.timeout);
  const WithoutSignals here(c.thread);
  Parts parts(c);
  for (long result;;) {
    if (execute_now(c, parts, &result)) return result;
    if (signals_due(io) || cancel_pending(c.thread)) return parts.done() ? (long)parts.done() : -EINTR;
    if (deadline && control.now >= deadline) {
      *timed_out = true;
      return parts.done() ? (long)parts.done() : say_nothing_came(c);
    }
    wait_here(c, io, deadline);
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
    c.thread.waits_inside = true;
    control.inside_waits++;
    point_waiting(op_of(c, HEDDLE_EV_IO_RETURN), came ? nullptr : never, nullptr, deadline);
    control.inside_waits--;
    c.thread.waits_inside = false;
  }
}

}  // namespace heddle::rt
