// Vector clocks: by thread, how much of it is known to have happened before.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

/// For any number of threads: as long as the highest thread that it knows anything of.
class Clock {
 public:
  std::uint32_t operator[](std::size_t thread) const { return thread < at_.size() ? at_[thread] : 0; }
  void set(std::size_t thread, std::uint32_t time) {
    if (thread >= at_.size()) at_.resize(thread + 1);
    at_[thread] = time;
  }
  /// `raised`(thread, time) for each entry that the other clock has more of.
  template <class F>
  void join(const Clock& other, F raised) {
    if (other.at_.size() > at_.size()) at_.resize(other.at_.size());
    for (std::size_t thread = 0; thread < other.at_.size(); thread++)
      if (other.at_[thread] > at_[thread]) raised(thread, at_[thread] = other.at_[thread]);
  }
  void join(const Clock& other) {
    join(other, [](std::size_t, std::uint32_t) {});
  }

 private:
  std::vector<std::uint32_t> at_;
};

/// For hot loops over few threads: no allocation, and joins that the compiler vectorises.
template <std::size_t N>
class FixedClock {
 public:
  std::uint32_t operator[](std::size_t thread) const { return at_[thread]; }
  void set(std::size_t thread, std::uint32_t time) { at_[thread] = time; }
  void fill(std::uint32_t time) { at_.fill(time); }
  void join(const FixedClock& other) {
    for (std::size_t i = 0; i < N; i++) at_[i] = std::max(at_[i], other.at_[i]);
  }
  /// What both know.
  void meet(const FixedClock& other) {
    for (std::size_t i = 0; i < N; i++) at_[i] = std::min(at_[i], other.at_[i]);
  }

 private:
  std::array<std::uint32_t, N> at_{};
};

}  // namespace heddle
