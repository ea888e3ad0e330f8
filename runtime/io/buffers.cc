// Rules of this file: with the baton in hand, except where the call is executed. Sizes come from the program: bounded
// before use.
#include "runtime/io/buffers.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>

#include "runtime/io/outgoing.h"
#include "runtime/io/vectors.h"
#include "runtime/parallel/owners.h"
#include "runtime/parallel/waiters.h"

namespace heddle::rt {
namespace {

constexpr uint64_t kMost = 1 << 20;  // of one blocking call; larger ones are written in place
constexpr uint64_t kMostCopied = 64 << 10;
uint32_t under_way;  // calls of TakeOff; cross-thread

uint64_t vector_capacity(uint64_t iov, uint64_t count) { return vector_bytes(iov, count, kMost); }

void own_vector(Thread& t, uint64_t iov, uint64_t count, bool write) {
  each_of_vector(iov, count, ~0ull, [&](uint64_t address, uint64_t part) {
    own_with_baton(t, address, part, write);
    return true;
  });
}

}  // namespace

void own_buffers(const Call& c) {
  const Shape s = c.policy.shape;
  const long* a = c.a;
  Thread& t = c.thread;
  own_outgoing(c);  // what a replay compares must be what was written
  msghdr header;
  switch (s.writes) {
    case Writes::RET: return own_with_baton(t, a[s.argument], a[s.argument + 1], true);
    case Writes::RECVFROM: return own_with_baton(t, a[1], a[2], true);
    case Writes::IOV: return own_vector(t, a[s.argument], a[s.argument + 1], true);
    case Writes::VMSPLICE: return own_vector(t, a[1], a[2], brings_in(c));
    case Writes::RECVMSG:
      if (read_program(&header, a[1], sizeof header)) own_vector(t, (uint64_t)header.msg_iov, header.msg_iovlen, true);
      return;
    case Writes::EVENTS: return own_with_baton(t, a[s.argument], (uint64_t)a[s.argument + 1] * s.bytes, true);
    case Writes::POLL: return own_with_baton(t, a[0], (uint64_t)a[1] * sizeof(pollfd), true);
    default: return;
  }
}

char* landing_of(Thread& t) {
  ThreadIo& io = io_of(t);
  if (!io.landing) io.landing = static_cast<char*>(map_memory(kMost));
  return io.landing;
}

LandingPlace::LandingPlace(Call& c) : call_(c) {
  __builtin_memcpy(saved_, c.a, sizeof saved_);
  if (thread_count() < 2) return;  // nobody could look
  const Shape s = c.policy.shape;
  switch (s.writes) {
    case Writes::RET: capacity_ = c.a[s.argument + 1]; break;
    case Writes::RECVFROM: capacity_ = c.a[2]; break;
    case Writes::IOV: capacity_ = vector_capacity(c.a[s.argument], c.a[s.argument + 1]); break;
    case Writes::RECVMSG:
      if (!read_program(&header_, c.a[1], sizeof header_)) return;
      capacity_ = vector_capacity((uint64_t)header_.msg_iov, header_.msg_iovlen);
      break;
    case Writes::EVENTS: capacity_ = c.a[s.argument + 1] > 0 ? (uint64_t)c.a[s.argument + 1] * s.bytes : 0; break;
    case Writes::POLL: capacity_ = (uint64_t)c.a[1] * sizeof(pollfd); break;
    default: return;
  }
  if (!capacity_ || capacity_ > kMost) return;
  char* const landing = landing_of(c.thread);
  if (s.writes == Writes::POLL && !read_program(landing, c.a[0], capacity_)) return;
  memory_ = landing;
  one_ = {memory_, capacity_};
  switch (s.writes) {
    case Writes::IOV:
      c.a[s.argument] = (long)&one_;
      c.a[s.argument + 1] = 1;
      break;
    case Writes::RECVMSG:
      header_.msg_iov = &one_;
      header_.msg_iovlen = 1;
      c.a[1] = (long)&header_;
      break;
    case Writes::RECVFROM: c.a[1] = (long)memory_; break;
    case Writes::POLL: c.a[0] = (long)memory_; break;
    default: c.a[s.argument] = (long)memory_; break;
  }
}

LandingPlace::~LandingPlace() { __builtin_memcpy(call_.a, saved_, sizeof saved_); }

// The program's places of the first `bytes` that arrived, in their order.
template <class Visit>
bool LandingPlace::each_part(uint64_t bytes, Visit visit) const {
  const Shape s = call_.policy.shape;
  msghdr theirs;
  switch (s.writes) {
    case Writes::IOV: return each_of_vector(saved_[s.argument], saved_[s.argument + 1], bytes, visit);
    case Writes::RECVMSG:
      return read_program(&theirs, saved_[1], sizeof theirs) &&
             each_of_vector((uint64_t)theirs.msg_iov, theirs.msg_iovlen, bytes, visit);
    case Writes::RECVFROM: return visit((uint64_t)saved_[1], bytes);
    case Writes::POLL: return visit((uint64_t)saved_[0], bytes);
    default: return visit((uint64_t)saved_[s.argument], bytes);
  }
}

bool LandingPlace::copy_out(long result) {
  const Shape s = call_.policy.shape;
  if (s.writes == Writes::POLL) {  // the kernel writes `revents` alone
    for (uint64_t at = offsetof(pollfd, revents); at < capacity_; at += sizeof(pollfd))
      if (!write_program(saved_[0] + at, memory_ + at, sizeof(short))) return false;
    return true;
  }
  const char* from = memory_;
  bool copied = each_part(s.writes == Writes::EVENTS ? (uint64_t)result * s.bytes : (uint64_t)result,
                          [&](uint64_t address, uint64_t part) {
                            bool ok = write_program(address, from, part);
                            from += part;
                            return ok;
                          });
  if (s.writes != Writes::RECVMSG || !copied) return copied;
  return write_program(saved_[1] + offsetof(msghdr, msg_namelen), &header_.msg_namelen, sizeof header_.msg_namelen) &&
         write_program(saved_[1] + offsetof(msghdr, msg_controllen), &header_.msg_controllen,
                       sizeof header_.msg_controllen) &&
         write_program(saved_[1] + offsetof(msghdr, msg_flags), &header_.msg_flags, sizeof header_.msg_flags);
}

long LandingPlace::return_with(long result, const Op& op) {
  if (!memory_ || failed(result)) {
    enter(op);
    return result;
  }
  const Shape s = call_.policy.shape;
  uint64_t bytes = s.writes == Writes::POLL     ? capacity_
                   : s.writes == Writes::EVENTS ? (uint64_t)result * s.bytes
                                                : (uint64_t)result;
  if (bytes > capacity_) bytes = capacity_;  // MSG_TRUNC says how much there was
  const long there = s.writes == Writes::POLL || s.writes == Writes::EVENTS ? result : (long)bytes;
  discipline.land(*this, bytes, op);
  return copy_out(there) ? result : -EFAULT;
}

void LandingPlace::just_enter(LandingPlace&, uint64_t, const Op& op) { enter(op); }

void LandingPlace::own_and_enter(LandingPlace& place, uint64_t bytes, const Op& op) {
  Thread& t = place.call_.thread;
  parallel_come_back(t);
  if (bytes)
    place.each_part(bytes, [&](uint64_t address, uint64_t part) {
      own_with_baton(t, address, part, true);
      return true;
    });
  parallel_enter(t, op);
}

bool TakeOff::gather(uint64_t iov, uint64_t count) {
  char* to = io_of(call_.thread).landing;
  one_ = {to, 0};
  return count <= kMostParts && each_of_vector(iov, count, kMostCopied + 1, [&](uint64_t address, uint64_t part) {
    if (one_.iov_len + part > kMostCopied || !read_program(to + one_.iov_len, address, part)) return false;
    one_.iov_len += part;
    return true;
  });
}

TakeOff::TakeOff(Call& c) : call_(c) {
  __builtin_memcpy(saved_, c.a, sizeof saved_);
  char* const landing = landing_of(c.thread);
  switch (c.number) {
    case SYS_write: case SYS_sendto:
      if (c.number == SYS_sendto && (c.a[3] & MSG_ZEROCOPY)) return;  // the kernel reads it when it likes
      if ((uint64_t)c.a[2] > kMostCopied || !read_program(landing, c.a[1], c.a[2])) return;
      c.a[1] = (long)landing;
      break;
    case SYS_writev:
      if (!gather(c.a[1], c.a[2])) return;
      c.a[1] = (long)&one_;
      c.a[2] = 1;
      break;
    case SYS_sendmsg:
      if (c.a[2] & MSG_ZEROCOPY) return;
      if (!read_program(&header_, c.a[1], sizeof header_) || header_.msg_name || header_.msg_controllen) return;
      if (!gather((uint64_t)header_.msg_iov, header_.msg_iovlen)) return;
      header_.msg_iov = &one_;
      header_.msg_iovlen = 1;
      c.a[1] = (long)&header_;
      break;
    default: return;
  }
  memory_ = landing;
  c.sent = memory_;
}

long TakeOff::execute() {
  Thread& t = call_.thread;
  ThreadIo& io = io_of(t);
  __atomic_fetch_add(&under_way, 1, __ATOMIC_RELAXED);  // others look with the baton
  io.sending = true;
  const uint32_t depth = baton_lose(t);
  const long result = rt::execute(call_);
  const bool is_done = result > 0 && !io.pipe_broke && io_no_signal_is_due(t);
  if (!is_done || !goes_on_without_baton(t, depth)) baton_regain(t, depth);
  io.sending = false;
  __atomic_fetch_sub(&under_way, 1, __ATOMIC_RELEASE);
  if (HEDDLE_UNLIKELY(io.pipe_broke)) {
    io.pipe_broke = false;
    raw_syscall(SYS_rt_tgsigqueueinfo, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), SIGPIPE, &io.broken_pipe);
  }
  return result;
}

bool sends_under_way() { return __atomic_load_n(&under_way, __ATOMIC_ACQUIRE) != 0; }

}  // namespace heddle::rt
