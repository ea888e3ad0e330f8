// Varints, strings and records in byte buffers: the alphabet of every table in a trace (docs/trace-format.md).
// A record is length-prefixed: readers that know fewer fields skip the rest, readers that know more see defaults.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace heddle {

inline std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
inline std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

class ByteWriter {
 public:
  void byte(std::uint8_t v) { out_.push_back(static_cast<char>(v)); }
  void varint(std::uint64_t v) {
    if (v < 0x80) return byte(static_cast<std::uint8_t>(v));  // nearly always, and append() calls memmove
    char buffer[10];
    std::size_t n = 0;
    for (; v >= 0x80; v >>= 7) buffer[n++] = static_cast<char>(v | 0x80);
    buffer[n++] = static_cast<char>(v);
    out_.append(buffer, n);
  }
  void signed_varint(std::int64_t v) { varint(zigzag(v)); }
  void flag(bool v) { varint(v ? 1 : 0); }
  void string(std::string_view v) {
    varint(v.size());
    out_.append(v);
  }
  /// Appends `record` with its length in front.
  void record(const ByteWriter& record) { string(record.out_); }
  std::string_view view() const { return out_; }
  std::size_t size() const { return out_.size(); }
  void append(std::string_view bytes) { out_.append(bytes); }
  void clear() { out_.clear(); }

 private:
  std::string out_;
};

/// What a file may make us allocate, in bytes; charged before every allocation that depends on its content.
class Budget {
 public:
  explicit Budget(std::uint64_t limit) : left_(limit) {}
  bool charge(std::uint64_t bytes) {
    if (bytes > left_) {
      left_ = 0;
      return false;
    }
    left_ -= bytes;
    return true;
  }
  std::uint64_t left() const { return left_; }

 private:
  std::uint64_t left_;
};

/// Reads untrusted bytes. At the end every field reads as zero or empty (an older record); a field that is cut or a
/// charge beyond the budget makes the reader bad(), and everything after it reads as zero.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, Budget& budget) : at_(bytes.data()), end_(at_ + bytes.size()), budget_(&budget) {}

  bool at_end() const { return at_ == end_; }
  bool bad() const { return bad_; }
  void fail() {
    bad_ = true;
    at_ = end_;
  }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }

  std::uint64_t varint() {
    if (at_ == end_) return 0;
    std::uint64_t v = 0;
    for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const auto b = static_cast<std::uint8_t>(*at_++);
      v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return v;
    }
    fail();
    return 0;
  }
  std::int64_t signed_varint() { return unzigzag(varint()); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(varint()); }
  bool flag() { return varint() != 0; }

  /// Number of elements that follow; each takes at least one byte and `each` bytes of memory.
  std::size_t count(std::size_t each) {
    const std::uint64_t n = varint();
    if (n <= remaining() && charge(n * each)) return static_cast<std::size_t>(n);
    fail();
    return 0;
  }
  std::string_view view() {
    const std::uint64_t n = varint();
    if (n > remaining()) {
      fail();
      return {};
    }
    std::string_view v(at_, static_cast<std::size_t>(n));
    at_ += n;
    return v;
  }
  std::string string() {
    const std::string_view v = view();
    return charge(v.size()) ? std::string(v) : std::string();
  }
  ByteReader record() { return ByteReader(view(), *budget_); }
  bool charge(std::uint64_t bytes) {
    if (budget_->charge(bytes)) return true;
    fail();
    return false;
  }

 private:
  const char* at_;
  const char* end_;
  Budget* budget_;
  bool bad_ = false;
};

}  // namespace heddle
