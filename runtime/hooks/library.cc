// Memory effects of libc calls whose extent depends on what lies in memory: strings and vectors of buffers. Each ends
// in a range hook, as a tail call, so that the stack of the access is the caller's.
//
// Rules of this file: memory of the program is looked at through io_peek() only; what cannot be read ends the string.
#include <sys/socket.h>
#include <sys/uio.h>

#include "abi/hooks.h"
#include "runtime/control/discipline.h"
#include "runtime/detector/detector.h"
#include "runtime/hooks/access.h"
#include "runtime/control/io.h"
#include "runtime/parallel/owners.h"

namespace heddle::rt {
namespace {

constexpr size_t kMostVectors = 1024;  // IOV_MAX

bool byte_at(uint64_t p, uint8_t* out) {
  uint64_t value;
  if (!io_peek((const void*)p, 1, &value)) return false;
  *out = (uint8_t)value;
  return true;
}

bool has_byte(uint64_t word, uint8_t wanted) {
  uint64_t x = word ^ (0x0101010101010101ull * wanted);
  return (x - 0x0101010101010101ull) & ~x & 0x8080808080808080ull;
}

// Bytes from `p` to the first of the two characters, inclusive; at most `limit`.
__attribute__((noinline)) size_t extent(uint64_t p, size_t limit, uint8_t a, uint8_t b) {
  size_t n = 0;
  while (n < limit) {
    uint64_t word;
    if ((p + n) % 8 == 0 && limit - n >= 8) {  // aligned words never cross into a page that is not there
      if (!io_peek((const void*)(p + n), 8, &word)) break;
      if (!has_byte(word, a) && !has_byte(word, b)) {
        n += 8;
        continue;
      }
    }
    uint8_t c;
    if (!byte_at(p + n, &c)) break;
    n++;
    if (c == a || c == b) break;
  }
  return n;
}

uint8_t folded_byte(uint8_t c) { return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c; }

__attribute__((noinline)) size_t common_extent(uint64_t p, uint64_t q, size_t limit, bool folded) {
  size_t n = 0;
  while (n < limit) {
    uint8_t a, b;
    if (!byte_at(p + n, &a) || !byte_at(q + n, &b)) break;
    n++;
    if (!a || (folded ? folded_byte(a) != folded_byte(b) : a != b)) break;
  }
  return n;
}

// Of the string alone, without its end.
size_t length_of(uint64_t p, size_t limit) {
  size_t n = extent(p, limit, 0, 0);
  uint8_t last = 1;
  return n && byte_at(p + n - 1, &last) && !last ? n - 1 : n;
}
__attribute__((noinline)) size_t copied(uint64_t string, size_t limit) { return length_of(string, limit) + 1; }
__attribute__((noinline)) uint64_t end_of(uint64_t string) { return string + length_of(string, ~(size_t)0); }

bool peek(void* to, uint64_t from, size_t words) {
  for (size_t i = 0; i < words; i++)
    if (!io_peek((const void*)(from + i * 8), 8, (uint64_t*)to + i)) return false;
  return true;
}

}  // namespace

// Is the extent worth finding out? If nobody asks, one byte stands for all: the hook still counts towards the budget,
// and with the detector on or off the schedule is the same.
inline bool wanted(const HeddleSite* site) {
  return self && (detector::on || every_access_slow || (site->state & HEDDLE_SITE_POINT));
}

}  // namespace heddle::rt

using namespace heddle::rt;

HEDDLE_EXPORT void __heddle_read_string(const volatile void* p, size_t limit, uint32_t stops, HeddleSite* site) {
  if (!wanted(site)) return __heddle_read_range(p, limit ? 1 : 0, site);
  size_t bytes = extent((uint64_t)p, limit, (uint8_t)stops, (uint8_t)(stops >> 8));
  return discipline.read_string(p, bytes, limit, stops, site);
}

void heddle::rt::controlled_read_string(const volatile void* p, size_t bytes, size_t, uint32_t, HeddleSite* site) {
  return __heddle_read_range(p, bytes, site);
}

void heddle::rt::recorded_read_string(const volatile void* p, size_t bytes, size_t limit, uint32_t stops,
                                      HeddleSite* site) {
  Thread& t = *self;
  const bool follows = t.recording.read_bytes && t.recording.read_at == t.budget;  // another string of the same call
  const uint64_t other = t.recording.read_from, other_bytes = follows ? t.recording.read_bytes : 0;
  const bool was_ours = bytes && owns(t, (uint64_t)p, bytes, false);
  const int32_t before = t.budget;
  __heddle_read_range(p, bytes, site);
  // Another thread may have made it longer until it was ours.
  const bool is_known = was_ours && t.budget == before - 1;
  for (size_t now; !is_known && (now = extent((uint64_t)p, limit, (uint8_t)stops, (uint8_t)(stops >> 8))) > bytes;
       bytes = now)
    own_both(t, other, other_bytes, (uint64_t)p, now);
  t.recording.read_bytes = bytes;
  t.recording.read_at = t.budget;
}

HEDDLE_EXPORT void __heddle_read_prefix(const volatile void* p, const volatile void* other, size_t limit,
                                        uint32_t folded, HeddleSite* site) {
  if (!wanted(site)) return __heddle_read_range(p, limit ? 1 : 0, site);
  size_t bytes = common_extent((uint64_t)p, (uint64_t)other, limit, folded);
  return discipline.read_prefix(p, bytes, other, limit, folded, site);
}

void heddle::rt::controlled_read_prefix(const volatile void* p, size_t bytes, const volatile void*, size_t, uint32_t,
                                        HeddleSite* site) {
  return __heddle_read_range(p, bytes, site);
}

void heddle::rt::recorded_read_prefix(const volatile void* p, size_t bytes, const volatile void* other, size_t limit,
                                      uint32_t folded, HeddleSite* site) {
  __heddle_read_range(p, bytes, site);
  Thread& t = *self;
  own_both(t, (uint64_t)p, bytes, (uint64_t)other, bytes);
  for (size_t now; (now = common_extent((uint64_t)p, (uint64_t)other, limit, folded)) > bytes; bytes = now)
    own_both(t, (uint64_t)p, now, (uint64_t)other, now);
}

HEDDLE_EXPORT void __heddle_write_string(const volatile void* p, const volatile void* string, size_t limit,
                                         uint32_t appended, HeddleSite* site) {
  if (!string) return;
  if (!wanted(site)) return __heddle_write_range(p, 1, site);
  if (appended) p = (const volatile void*)end_of((uint64_t)p);
  return __heddle_write_range(p, copied((uint64_t)string, limit), site);
}

HEDDLE_EXPORT void __heddle_vector(const volatile void* vector, size_t count, int64_t bytes, uint32_t flags,
                                   HeddleSite* site) {
  if (bytes <= 0 || !self) return;
  uint64_t first = (uint64_t)vector;
  if (flags & HEDDLE_VECTOR_MESSAGE) {
    msghdr m;
    if (!peek(&m, first, sizeof m / 8)) return;
    first = (uint64_t)m.msg_iov;
    count = m.msg_iovlen;
  }
  for (size_t i = 0; i < count && i < kMostVectors && bytes > 0; i++) {
    iovec v;
    if (!peek(&v, first + i * sizeof v, sizeof v / 8)) return;
    size_t part = v.iov_len < (uint64_t)bytes ? v.iov_len : (size_t)bytes;
    (flags & HEDDLE_VECTOR_WRITTEN ? __heddle_write_range : __heddle_read_range)(v.iov_base, part, site);
    bytes -= (int64_t)part;
  }
}
