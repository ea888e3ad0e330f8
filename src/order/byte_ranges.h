// What is known of memory, by byte: neighbours of which the same is known are kept as one part.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace heddle {

/// Bytes are numbered from 0 to ~0; ranges include both ends. Pointers to the T of a part stay valid until that part is
/// overwritten by assign().
template <class T>
class ByteRanges {
 public:
  /// `f`(first, last, T&) for parts that together are [first, last], in order. What was one part and reaches over an
  /// end is divided there (T is copied); of bytes of which nothing was known a part with T{} is made.
  template <class F>
  void each(std::uint64_t first, std::uint64_t last, F f) {
    auto it = from(first);
    for (std::uint64_t at = first;;) {
      if (it == parts_.end() || it->first > at) {
        const std::uint64_t end = it == parts_.end() || it->first > last ? last : it->first - 1;
        it = parts_.emplace_hint(it, at, Part{end, T{}});
      } else if (it->second.last > last) {
        divide(it, last + 1);
      }
      f(it->first, it->second.last, it->second.value);
      if (it->second.last >= last) return;
      at = it->second.last + 1;
      ++it;
    }
  }

  /// All of [first, last] becomes one part.
  void assign(std::uint64_t first, std::uint64_t last, T value) {
    auto it = from(first);
    if (it != parts_.end() && it->first == first && it->second.last == last) {
      it->second.value = std::move(value);
      return;
    }
    parts_.emplace_hint(forget(first, last), first, Part{last, std::move(value)});
  }

  /// Nothing is known of [first, last] any more.
  void erase(std::uint64_t first, std::uint64_t last) { forget(first, last); }

  /// `f`(T) for all parts.
  template <class F>
  void all(F f) const {
    for (const auto& [first, part] : parts_) f(part.value);
  }
  std::size_t parts() const { return parts_.size(); }
  void clear() { parts_.clear(); }

 private:
  struct Part {
    std::uint64_t last;
    T value;
  };
  using Iterator = std::map<std::uint64_t, Part>::iterator;

  Iterator forget(std::uint64_t first, std::uint64_t last) {
    const Iterator end = last == ~std::uint64_t{0} ? parts_.end() : from(last + 1);
    return parts_.erase(from(first), end);
  }
  /// The part from `at` on.
  Iterator divide(Iterator it, std::uint64_t at) {
    auto rest = parts_.emplace_hint(std::next(it), at, it->second);
    it->second.last = at - 1;
    return rest;
  }
  /// The first part that has bytes at or behind `at`; none before that.
  Iterator from(std::uint64_t at) {
    auto it = parts_.lower_bound(at);
    if (it == parts_.begin() || (it != parts_.end() && it->first == at)) return it;
    auto before = std::prev(it);
    return before->second.last >= at ? divide(before, at) : it;
  }

  std::map<std::uint64_t, Part> parts_;  // by the first byte
};

}  // namespace heddle
