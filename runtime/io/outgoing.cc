// Rules of this file: pointers and sizes are the program's: read through read_program(), bounded first. What cannot be
// read counts as a value of its own. Padding and what lies behind a text are not looked at: nobody said what is in
// them.
#include "runtime/io/outgoing.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <termios.h>

#include "runtime/control/scheduler.h"
#include "runtime/io/line.h"
#include "runtime/io/vectors.h"
#include "runtime/table.h"

namespace heddle::rt {
namespace {

constexpr long kNumbers = 512;
constexpr uint64_t kMostBytes = 1 << 20, kMostText = 4096, kMostTexts = 4096;

struct Table {
  const char* letters[kNumbers];
};
constexpr Table make_table() {
  Table table{};
#define X(name, text) table.letters[__NR_##name] = text;
#define NOTHING(name, why)
#include "runtime/io/outgoing.def"
#undef X
#undef NOTHING
  return table;
}
constexpr Table table = make_table();

const char* letters_of(long number) { return number >= 0 && number < kNumbers ? table.letters[number] : nullptr; }

uint64_t at_most(uint64_t a, uint64_t b) { return a < b ? a : b; }

// 512 bytes at a time, whatever parts they come in.
class ByteHash {
 public:
  /// `padded`: the last block counts as a whole one, as in records without kInputOut.
  explicit ByteHash(uint64_t seed, bool padded = false) : hash_(seed), padded_(padded) {}

  bool add(uint64_t address, uint64_t bytes) {
    while (bytes) {
      const uint64_t part = at_most(bytes, sizeof words_ - filled_);
      if (!read_program(reinterpret_cast<char*>(words_) + filled_, address, part)) {
        unreadable_ = true;
        return false;
      }
      filled_ += part, address += part, bytes -= part;
      if (filled_ == sizeof words_) block();
    }
    return true;
  }
  uint64_t finish() {
    if (filled_) block();
    return unreadable_ ? 0 : hash_;
  }

 private:
  void block() {
    const uint64_t end = padded_ ? sizeof words_ : (filled_ + 7) & ~7ull;
    __builtin_memset(reinterpret_cast<char*>(words_) + filled_, 0, end - filled_);
    for (uint64_t i = 0; i < end / 8; i++) hash_ = mix_bits(hash_ ^ words_[i]) + 0x9e3779b97f4a7c15ull;
    filled_ = 0;
  }
  uint64_t words_[64];
  uint64_t hash_, filled_ = 0;
  bool padded_, unreadable_ = false;
};

// The bytes that leave, in their order; `result`: how many the kernel took (messages of M). ~0: all that the program
// offers.
template <class Visit>
void each_taken(const Call& c, const char* letters, uint64_t result, Visit visit) {
  for (int i = 0; letters[i]; i++) {
    switch (letters[i]) {
      case 'w': visit((uint64_t)c.a[i], at_most(result, (uint64_t)c.a[i + 1])); break;
      case 'v': each_of_vector((uint64_t)c.a[i], (uint64_t)c.a[i + 1], result, visit); break;
      case 'm': each_of_message((uint64_t)c.a[i], result, visit); break;
      case 'M':
        for (uint64_t k = 0; k < at_most(result, at_most((uint32_t)c.a[i + 1], kMostParts)); k++)
          each_of_message((uint64_t)c.a[i] + k * sizeof(mmsghdr), ~0ull, visit);
        break;
      case 'B':
        visit((uint64_t)c.a[i],
              at_most(letters[i + 1] == 'i' ? (uint32_t)c.a[i + 1] : (uint64_t)c.a[i + 1], kMostBytes));
        break;
      case 'q': visit((uint64_t)c.a[i], at_most((uint64_t)c.a[i + 1], kMostBytes) + sizeof(long)); break;
      default: break;
    }
  }
}

bool is_data(char letter) {
  return letter == 'w' || letter == 'v' || letter == 'm' || letter == 'M' || letter == 'B' || letter == 'q';
}

// Up to the end of a text, page by page: what follows its last one may not be there.
template <class Visit>
void each_of_text(uint64_t address, Visit visit) {
  if (!address) return;
  char part[256];
  for (uint64_t n = 0; n < kMostText;) {
    const uint64_t bytes = at_most(at_most(4096 - (address + n) % 4096, sizeof part), kMostText - n);
    if (!read_program(part, address + n, bytes)) return;
    if (const void* end = __builtin_memchr(part, 0, bytes)) {
      const uint64_t rest = (uint64_t)((const char*)end - part);
      if (rest) visit(address + n, rest);
      return;
    }
    visit(address + n, bytes);
    n += bytes;
  }
}

// What of an address says where: what lies behind it may be anything.
uint64_t address_bytes(uint64_t address, uint64_t bytes) {
  uint16_t family = 0;
  if (bytes < sizeof family || !read_program(&family, address, sizeof family)) return 0;
  if (family == AF_INET) return at_most(bytes, offsetof(sockaddr_in, sin_zero));
  if (family != AF_UNIX) return at_most(bytes, sizeof(sockaddr_storage));
  sockaddr_un name{};
  bytes = at_most(bytes, sizeof name);
  if (!read_program(&name, address, bytes) || bytes <= sizeof family || !name.sun_path[0]) return bytes;
  uint64_t n = sizeof family;
  while (n < bytes && reinterpret_cast<const char*>(&name)[n]) n++;
  return n;
}

// Of an ioctl: what the kernel reads at its argument. Of known requests only: in others there may be padding,
// addresses, and room for answers.
uint64_t ioctl_reads(uint64_t request) {
  switch (request) {
    case TCSETS: case TCSETSW: case TCSETSF: return 36;  // the kernel's struct termios
    case TIOCSWINSZ: return sizeof(winsize);
    case TIOCSTI: return 1;
    case FIONBIO: case FIOASYNC: case TIOCSPGRP: case TIOCMSET: case TIOCMBIS: case TIOCMBIC: case TIOCSETD: return 4;
    default: return 0;
  }
}
// Of a struct ifreq: what follows the interface's name.
uint64_t interface_reads(uint64_t request) {
  switch (request) {
    case SIOCSIFFLAGS: return sizeof(short);
    case SIOCSIFMETRIC: case SIOCSIFMTU: return sizeof(int);
    case SIOCSIFADDR:
    case SIOCSIFDSTADDR:
    case SIOCSIFBRDADDR:
    case SIOCSIFNETMASK:
      return offsetof(sockaddr_in, sin_zero);
    case SIOCSIFHWADDR: return sizeof(uint16_t) + 6;
    default: return 0;
  }
}
bool ioctl_is_number(uint64_t request) {
  switch (request) {
    case TCSBRK: case TCSBRKP: case TCXONC: case TCFLSH: case TIOCSCTTY: return true;
    default: return false;
  }
}

// All that is hashed before the call: to.word(number), to.bytes(address, count) and to.text(address).
template <class Sink>
class Numbers {
 public:
  Numbers(const Call& c, Sink& to) : c_(c), to_(to) {}

  void walk(const char* letters) {
    for (int i = 0; letters[i]; i++) one(letters, i);
  }

 private:
  void one(const char* letters, int i) {
    const uint64_t a = (uint64_t)c_.a[i], next = i < 5 ? (uint64_t)c_.a[i + 1] : 0;
    switch (letters[i]) {
      case 'i': to_.word((uint32_t)a); break;
      case 'l': to_.word(a); break;
      case 's': to_.text(a); break;
      case 'o': pointed(a, 8); break;
      case '1': pointed(a, 16); break;
      case '2': pointed(a, 32); break;
      case 'A': to_.bytes(a, a ? address_bytes(a, (uint32_t)next) : 0); break;
      case 'S': semaphores(a, next); break;
      case 'O': to_.word((uint32_t)a), to_.word(a & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? (uint32_t)next : 0); break;
      case 'v': vector(a, next); break;
      case 'm': message(a); break;
      case 'M':
        for (uint64_t k = 0; k < at_most((uint32_t)next, kMostParts); k++) message(a + k * sizeof(mmsghdr));
        break;
      case 'a': texts(a, false); break;
      case 'e': texts(a, true); break;
      case 'k':
        if (ioctl_is_number((uint32_t)c_.a[1])) to_.word(a);
        pointed(a, ioctl_reads((uint32_t)c_.a[1]));
        if (const uint64_t bytes = interface_reads((uint32_t)c_.a[1])) to_.text(a), to_.bytes(a + IFNAMSIZ, bytes);
        break;
      case 'f': locks(a); break;
      case 'c':
        if ((int)c_.a[2] == SETVAL) to_.word((uint32_t)a);
        break;
      default: break;
    }
  }

  void pointed(uint64_t address, uint64_t bytes) {
    if (bytes) to_.word(address != 0);
    if (address && bytes) to_.bytes(address, bytes);
  }
  void vector(uint64_t iov, uint64_t count) {
    uint64_t total = 0;
    each_of_vector(iov, count, ~0ull, [&](uint64_t, uint64_t part) { total += part; });
    to_.word(total);
  }
  void semaphores(uint64_t operations, uint64_t count) {
    for (uint64_t k = 0; k < at_most(count, 512); k++) to_.bytes(operations + k * sizeof(sembuf), sizeof(sembuf));
  }
  void message(uint64_t header) {
    msghdr m;
    if (!read_program(&m, header, sizeof m)) return;
    vector((uint64_t)m.msg_iov, m.msg_iovlen);
    if (m.msg_name) to_.bytes((uint64_t)m.msg_name, address_bytes((uint64_t)m.msg_name, m.msg_namelen));
    // Each with its length, without what fills the gaps between two.
    for (uint64_t at = 0; m.msg_control && at + sizeof(cmsghdr) <= at_most(m.msg_controllen, 65536);) {
      cmsghdr one;
      const uint64_t address = (uint64_t)m.msg_control + at;
      if (!read_program(&one, address, sizeof one) || one.cmsg_len < sizeof one || one.cmsg_len > m.msg_controllen - at)
        return;
      to_.bytes(address, one.cmsg_len);
      at += CMSG_ALIGN(one.cmsg_len);
    }
  }
  // LD_* and PATH of a replay are those of the user's shell, so they are not the program's to carry out.
  static bool is_from_outside(uint64_t text) {
    char name[6] = {};
    for (int i = 0; i < 5 && read_program(name + i, text + i, 1) && name[i]; i++) {}
    return __builtin_memcmp(name, "LD_", 3) == 0 || __builtin_memcmp(name, "PATH=", 5) == 0;
  }
  void texts(uint64_t array, bool environment) {
    for (uint64_t k = 0; array && k < kMostTexts; k++) {
      uint64_t text;
      if (!read_program(&text, array + k * sizeof text, sizeof text) || !text) return;
      if (!environment || !is_from_outside(text)) to_.text(text);
    }
  }
  void locks(uint64_t a) {
    struct flock lock;
    switch (c_.a[1]) {
      case F_DUPFD:
      case F_DUPFD_CLOEXEC:
      case F_SETFD:
      case F_SETFL:
      case F_SETPIPE_SZ:
      case F_SETLEASE:
      case F_ADD_SEALS:
        to_.word((uint32_t)a);
        return;
      case F_SETLK: case F_SETLKW: case F_OFD_SETLK: case F_OFD_SETLKW:
        if (!read_program(&lock, a, sizeof lock)) return;
        to_.word((uint16_t)lock.l_type), to_.word((uint16_t)lock.l_whence), to_.word((uint64_t)lock.l_start),
            to_.word((uint64_t)lock.l_len);
        return;
      default: return;
    }
  }

  const Call& c_;
  Sink& to_;
};

class NumberHash {
 public:
  NumberHash(char* kept, uint32_t* keeps) : kept_(kept), keeps_(keeps) {}
  void word(uint64_t w) { hash_ = mix_bits(hash_ ^ w) + 1; }
  void bytes(uint64_t address, uint64_t count) {
    ByteHash h(count);
    h.add(address, count);
    word(h.finish());
  }
  void text(uint64_t address) {
    ByteHash h(1);
    uint64_t length = 0;
    each_of_text(address, [&](uint64_t at, uint64_t part) {
      h.add(at, part);
      if (!length) keep(at, part);
      length += part;
    });
    word(h.finish() + length);
  }
  void keep(uint64_t address, uint64_t bytes) {
    const uint64_t part = at_most(bytes, Outgoing::kKept - *keeps_);
    if (part && read_program(kept_ + *keeps_, address, part)) *keeps_ += (uint32_t)part;
  }
  uint32_t finish() const { return (uint32_t)(hash_ >> 32); }

 private:
  uint64_t hash_ = 0x6865646c65;
  char* kept_;
  uint32_t* keeps_;
};

struct Owner {
  Thread& thread;
  void word(uint64_t) {}
  void bytes(uint64_t address, uint64_t count) {
    if (count) discipline.own(thread, address, count, false);
  }
  void text(uint64_t address) {
    each_of_text(address, [&](uint64_t at, uint64_t part) { discipline.own(thread, at, part, false); });
  }
};

void describe(Line& out, const OutgoingTail& tail, const char* kept, bool transfer) {
  const uint32_t wanted = tail.sizes >> 8, keeps = tail.sizes & 0xff;
  if (transfer) out.put(" of ").number(wanted).put(wanted == 1 ? " byte" : " bytes");
  if (keeps)
    out.put(transfer ? ": " : " ").quoted(kept, keeps, keeps < wanted || (!transfer && keeps == Outgoing::kKept));
}

}  // namespace

Outgoing::Outgoing(const Call& c) : letters_(letters_of(c.number)) {
  if (HEDDLE_LIKELY(!letters_)) return;
  uint32_t keeps = 0;
  uint64_t wanted = 0;
  NumberHash numbers(kept_, &keeps);
  if (!brings_in(c)) each_taken(c, letters_, ~0ull, [&](uint64_t address, uint64_t bytes) {
    wanted += bytes;
    numbers.keep(address, bytes);
  });
  Numbers(c, numbers).walk(letters_);
  tail_.numbers = numbers.finish();
  tail_.sizes = (uint32_t)at_most(wanted, 0xffffff) << 8 | keeps;
}

void Outgoing::taken(const Call& c, long result) {
  if (HEDDLE_LIKELY(!letters_)) return;
  tail_.data = 0;
  if (result < 0 || brings_in(c)) return;
  ByteHash bytes((uint64_t)result);
  if (c.sent)
    bytes.add((uint64_t)c.sent, (uint64_t)result);
  else
    each_taken(c, letters_, (uint64_t)result, [&](uint64_t address, uint64_t count) { bytes.add(address, count); });
  tail_.data = bytes.finish();
}

void Outgoing::append(RecordWriter& out) const {
  out.append(kept_, tail_.sizes & 0xff);
  out.append(&tail_, sizeof tail_);
}

uint32_t outgoing_bytes(const HeddleInput& r) {
  OutgoingTail tail;
  if (!(r.flags & kInputOut) || r.size < sizeof tail) return 0;
  __builtin_memcpy(&tail, data_of(r) + r.size - sizeof tail, sizeof tail);
  const uint32_t bytes = (uint32_t)sizeof tail + (tail.sizes & 0xff);
  return bytes <= r.size && (tail.sizes & 0xff) <= Outgoing::kKept ? bytes : 0;
}

void complete(HeddleInput& r, int64_t result, const Outgoing& sent) {
  r.result = result;
  sent.replace(r);
  __atomic_store_n(&r.flags, r.flags & ~kInputUnderWay, __ATOMIC_RELEASE);  // last, for a kill
}

void Outgoing::replace(const HeddleInput& r) const {
  const uint32_t bytes = outgoing_bytes(r);
  if (!bytes || !letters_) return;
  // The record keeps its size: of the first bytes it has what fits.
  const uint32_t room = bytes - (uint32_t)sizeof tail_, keeps = tail_.sizes & 0xff;
  char* at = const_cast<char*>(data_of(r)) + r.size - bytes;
  for (uint32_t i = 0; i < room; i++) at[i] = i < keeps ? kept_[i] : ' ';
  OutgoingTail tail = tail_;
  tail.sizes = (tail.sizes & ~0xffu) | room;
  __builtin_memcpy(at + room, &tail, sizeof tail);
}

namespace {

// Records without kInputOut have a hash of what write, pwrite and send took, if anything.
void compare_old(const Call& c, const HeddleInput& r) {
  const bool hashed = c.number == SYS_write || c.number == SYS_pwrite64 || c.number == SYS_sendto;
  uint64_t expected;
  if (!hashed || r.result <= 0 || r.size != sizeof expected) return;
  if (!discipline.wrote_hashes() && !(stream_in_other_order() && (r.flags & kInputChanges))) return;
  ByteHash bytes((uint64_t)r.result, true);
  bytes.add((uint64_t)c.a[1], (uint64_t)r.result);
  __builtin_memcpy(&expected, data_of(r), sizeof expected);
  if (bytes.finish() != expected) diverge_input("the program writes something else than in the recording");
}

}  // namespace

void Outgoing::compare(const Call& c, const HeddleInput& r) const {
  if (HEDDLE_LIKELY(!letters_)) return;
  const uint32_t bytes = outgoing_bytes(r);
  if (!bytes) return compare_old(c, r);
  OutgoingTail expected;
  __builtin_memcpy(&expected, data_of(r) + r.size - sizeof expected, sizeof expected);
  const bool brought_in = c.number == SYS_vmsplice && !expected.data;
  if ((expected.data != tail_.data && !brought_in) || expected.numbers != tail_.numbers)
    differs(c, expected, data_of(r) + r.size - bytes);
}

void Outgoing::differs(const Call& c, const OutgoingTail& expected, const char* kept) const {
  bool transfer = false;
  for (int i = 0; letters_[i]; i++) transfer |= is_data(letters_[i]);
  char text[sizeof region->result.divergence.text], other[sizeof text];
  Line wanted(text, sizeof text), got(other, sizeof other);
  wanted.put(c.policy.name), got.put(c.policy.name);
  describe(wanted, expected, kept, transfer), describe(got, tail_, kept_, transfer);
  if (__builtin_strcmp(text, other) == 0) {
    if (expected.data != tail_.data) {
      wanted.put(" (hash ").number(expected.data, 16).put(")"), got.put(" (hash ").number(tail_.data, 16).put(")");
    } else {
      got.put(" with another descriptor, offset, flag, name or address");
    }
  }
  diverge_output(c.site, text, other);
}

bool brings_in(const Call& c) {
  if (c.number != SYS_vmsplice || feeding()) return false;
  const long flags = raw_syscall(SYS_fcntl, c.a[0], F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY;
}

void each_outgoing(const Call& c, uint64_t result, bool (*visit)(void*, uint64_t, uint64_t), void* argument) {
  bool goes_on = true;
  if (const char* letters = letters_of(c.number))
    each_taken(c, letters, result,
               [&](uint64_t address, uint64_t bytes) { goes_on = goes_on && visit(argument, address, bytes); });
}

void own_outgoing(const Call& c) {
  const char* letters = letters_of(c.number);
  if (!letters) return;
  Owner owner{c.thread};
  each_taken(c, letters, ~0ull, [&](uint64_t address, uint64_t count) { owner.bytes(address, count); });
  Numbers(c, owner).walk(letters);
}

}  // namespace heddle::rt
