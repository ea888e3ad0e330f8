// The one walk over an iovec of the program: pointers and sizes are its own, so each is read through read_program() and
// counted first.
#pragma once
#include <sys/socket.h>
#include <sys/uio.h>

#include "runtime/io/call.h"

namespace heddle::rt {

inline constexpr uint64_t kMostParts = 1024;  // UIO_MAXIOV: more is an error to the kernel

/// visit(address, bytes) for each part that is not empty, `bytes` at most in all. visit() may return false: enough.
/// False: that, or one cannot be read.
template <class Visit>
bool each_of_vector(uint64_t iov, uint64_t count, uint64_t bytes, Visit visit) {
  for (uint64_t i = 0; i < count && i < kMostParts && bytes; i++) {
    iovec v;
    if (!read_program(&v, iov + i * sizeof v, sizeof v)) return false;
    const uint64_t part = v.iov_len < bytes ? v.iov_len : bytes;
    if (!part) continue;
    if constexpr (__is_same(decltype(visit(part, part)), bool)) {
      if (!visit((uint64_t)v.iov_base, part)) return false;
    } else {
      visit((uint64_t)v.iov_base, part);
    }
    bytes -= part;
  }
  return true;
}

/// The same for a msghdr.
template <class Visit>
bool each_of_message(uint64_t header, uint64_t bytes, Visit visit) {
  msghdr m;
  return read_program(&m, header, sizeof m) && each_of_vector((uint64_t)m.msg_iov, m.msg_iovlen, bytes, visit);
}

/// How many bytes, or any number above `most`.
inline uint64_t vector_bytes(uint64_t iov, uint64_t count, uint64_t most) {
  uint64_t total = 0;
  each_of_vector(iov, count, ~0ull, [&](uint64_t, uint64_t part) {
    total = part > ~0ull - total ? ~0ull : total + part;
    return total <= most;
  });
  return total;
}

}  // namespace heddle::rt
