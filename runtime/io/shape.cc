// Rules of this file: a chunk is {length, bytes}. In a recording the kernel has just written there, so the memory is
// valid. In a replay it is written through the kernel (write_program), so that a replay that went astray is a
// divergence and no fault.
#include "runtime/io/shape.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <termios.h>

#include "runtime/io/outgoing.h"
#include "runtime/io/vectors.h"

namespace heddle::rt {
namespace {

class Transfer {
 public:
  explicit Transfer(RecordWriter& out) : out_(&out) {}
  explicit Transfer(const HeddleInput& r) : in_(data_of(r)), left_(r.size - outgoing_bytes(r)) {}

  bool ok() const { return ok_; }
  bool recording() const { return out_ != nullptr; }
  bool has_more() const { return left_ != 0; }

  /// `bytes` at `address`; in a replay as many as were recorded, but never more: that is all the program has room for.
  void chunk(uint64_t address, uint64_t bytes) {
    if (!address) return;
    if (out_) {
      uint32_t length = (uint32_t)bytes;
      out_->append(&length, sizeof length);
      out_->append(reinterpret_cast<const void*>(address), length);
      return;
    }
    uint32_t length;
    if (!take(&length)) return;
    if (length > left_ || length > bytes || !write_program(address, in_, length)) {
      ok_ = false;
      return;
    }
    in_ += length;
    left_ -= length;
  }

  /// `bytes` spread over an iovec.
  void vector(uint64_t iov, uint64_t count, uint64_t bytes) {
    each_of_vector(iov, count, bytes, [&](uint64_t address, uint64_t part) {
      chunk(address, part);
      return ok_;
    });
  }

 private:
  bool take(uint32_t* length) {
    ok_ = ok_ && left_ >= sizeof *length;
    if (!ok_) return false;
    __builtin_memcpy(length, in_, sizeof *length);
    in_ += sizeof *length;
    left_ -= sizeof *length;
    return true;
  }
  RecordWriter* out_ = nullptr;
  const char* in_ = nullptr;
  uint64_t left_ = 0;
  bool ok_ = true;
};

uint64_t at_most(uint64_t a, uint64_t b) { return a < b ? a : b; }

// A buffer whose length the program gave in *length and the kernel replaced by the full one.
void value_result(Transfer& t, uint64_t buffer, uint64_t length, uint64_t capacity) {
  if (!buffer || !length) return;
  uint32_t now = 0;
  if (t.recording()) read_program(&now, length, sizeof now);
  t.chunk(buffer, t.recording() ? at_most(now, capacity) : capacity);
  t.chunk(length, sizeof now);
}

void message(Transfer& t, uint64_t header, uint64_t bytes, uint64_t name_capacity) {
  msghdr m;
  // In a replay the header still has the program's capacities; then the header itself is written.
  if (!read_program(&m, header, sizeof m)) return;
  t.vector((uint64_t)m.msg_iov, m.msg_iovlen, bytes);
  if (m.msg_name) t.chunk((uint64_t)m.msg_name, at_most(m.msg_namelen, name_capacity));
  if (m.msg_control) t.chunk((uint64_t)m.msg_control, m.msg_controllen);
  t.chunk(header + offsetof(msghdr, msg_namelen), sizeof m.msg_namelen);
  t.chunk(header + offsetof(msghdr, msg_controllen), sizeof m.msg_controllen);
  t.chunk(header + offsetof(msghdr, msg_flags), sizeof m.msg_flags);
}

void messages(const Call& c, Transfer& t, long count, bool received) {
  for (long i = 0; i < count; i++) {
    uint64_t one = c.a[1] + i * sizeof(mmsghdr);
    t.chunk(one + offsetof(mmsghdr, msg_len), sizeof(unsigned));
    unsigned length = 0;
    read_program(&length, one + offsetof(mmsghdr, msg_len), sizeof length);
    if (received) message(t, one, length, sizeof(sockaddr));
  }
}

uint64_t ioctl_bytes(uint64_t request) {
  switch (request) {
    case TCGETS: return 36;  // the kernel's struct termios
    case TIOCGWINSZ: return sizeof(winsize);
    case FIONREAD:
    case TIOCOUTQ:
    case TIOCGPGRP:
    case TIOCGSID:
    case TIOCMGET:
    case TIOCGETD:
    case SIOCATMARK:
      return 4;
    case FIONBIO: case FIOASYNC: case FIOCLEX: case FIONCLEX: case TIOCSWINSZ: case TCSETS: case TCSETSW: case TCSETSF:
      return 0;
    default: break;
  }
  if (request >= SIOCGIFNAME && request <= 0x8999) return sizeof(ifreq);
  return _IOC_DIR(request) & _IOC_READ ? _IOC_SIZE(request) : 0;
}

void ioctl_writes(const Call& c, Transfer& t) {
  if ((unsigned long)c.a[1] == SIOCGIFCONF) {
    ifconf conf;  // in a replay with the program's own length: its room
    if (read_program(&conf, c.a[2], sizeof conf)) t.chunk((uint64_t)conf.ifc_buf, conf.ifc_buf ? conf.ifc_len : 0);
    t.chunk(c.a[2], sizeof(int));
    return;
  }
  if (uint64_t bytes = ioctl_bytes((unsigned)c.a[1])) t.chunk(c.a[2], bytes);
}

void walk(const Call& c, long result, Transfer& t) {
  const long* a = c.a;
  const Shape s = c.policy.shape;
  switch (s.writes) {
    case Writes::NONE: break;
    case Writes::AT: t.chunk(a[s.argument], s.bytes); break;
    case Writes::RET: t.chunk(a[s.argument], at_most(result, a[s.argument + 1])); break;
    case Writes::IOV: t.vector(a[s.argument], a[s.argument + 1], result); break;
    case Writes::ADDRESS: value_result(t, a[s.argument], a[s.argument + 1], c.capacity); break;
    case Writes::RECVFROM:
      t.chunk(a[1], at_most(result, a[2]));
      value_result(t, a[4], a[5], c.capacity);
      break;
    case Writes::RECVMSG: message(t, a[1], result, c.capacity); break;
    case Writes::RECVMMSG: messages(c, t, result, true); break;
    case Writes::SENDMMSG: messages(c, t, result, false); break;
    case Writes::POLL: t.chunk(a[0], (uint64_t)a[1] * 8); break;
    case Writes::SELECT:
      for (int i = 1; i <= 3; i++) t.chunk(a[i], ((uint64_t)a[0] + 63) / 64 * 8);
      t.chunk(a[4], 16);
      break;
    case Writes::EVENTS: t.chunk(a[s.argument], at_most(result, a[s.argument + 1]) * s.bytes); break;
    case Writes::WAIT4:
      t.chunk(a[1], 4);
      t.chunk(a[3], 144);
      break;
    case Writes::WAITID:
      t.chunk(a[2], sizeof(siginfo_t));
      t.chunk(a[4], 144);
      break;
    case Writes::IOCTL: ioctl_writes(c, t); break;
    case Writes::FCNTL:
      if (a[1] == F_GETLK || a[1] == 36 /* F_OFD_GETLK */) t.chunk(a[2], sizeof(flock));
      if (a[1] == 16 /* F_GETOWN_EX */) t.chunk(a[2], 8);
      break;
    case Writes::GROUPS: t.chunk(a[0] ? a[1] : 0, at_most(result, a[0]) * 4); break;
    case Writes::THREE_IDS:
      for (int i = 0; i < 3; i++) t.chunk(a[i], 4);
      break;
    case Writes::MESSAGE: t.chunk(a[1], at_most(result, a[2]) + sizeof(long)); break;
    case Writes::MQ:
      t.chunk(a[1], at_most(result, a[2]));
      t.chunk(a[3], 4);
      break;
    case Writes::VMSPLICE:
      if (t.recording() ? brings_in(c) : t.has_more()) t.vector(a[1], a[2], result);
      break;
    case Writes::TWO_OFFSETS:
      t.chunk(a[1], 8);
      t.chunk(a[3], 8);
      break;
  }
}

}  // namespace

void shape_before(Call& c) {
  uint64_t length = 0;
  if (c.policy.shape.writes == Writes::ADDRESS) length = c.a[c.policy.shape.argument + 1];
  if (c.policy.shape.writes == Writes::RECVFROM) length = c.a[5];
  if (c.policy.shape.writes == Writes::RECVMSG) length = c.a[1] + offsetof(msghdr, msg_namelen);
  if (length && !read_program(&c.capacity, length, sizeof c.capacity)) c.capacity = 0;
}

void shape_record(const Call& c, long result, RecordWriter& out) {
  if (failed(result)) return;
  Transfer t(out);
  walk(c, result, t);
}

bool shape_feed(const Call& c, const HeddleInput& record) {
  if (failed(record.result)) return true;
  Transfer t(record);
  walk(c, record.result, t);
  return t.ok();
}

}  // namespace heddle::rt
