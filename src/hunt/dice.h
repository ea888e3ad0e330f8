// The randomness of a hunt's own choices (splitmix64): a function of the state it starts with.
#pragma once
#include <cstddef>
#include <cstdint>

namespace heddle {

struct Dice {
  std::uint64_t state;
  std::uint64_t next() {
    state += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return next() % n; }
};

}  // namespace heddle
