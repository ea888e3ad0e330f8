// The bytes of a trace: a file read by position (never mapped: a file that shrinks must not become SIGBUS), or memory.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "src/result/result.h"

namespace heddle {

class ByteSource {
 public:
  /// Regular files are read on demand; pipes and devices whole, at most 1 GiB.
  static Result<ByteSource> open(const std::filesystem::path& path);
  explicit ByteSource(std::span<const std::byte> bytes);
  ByteSource(ByteSource&& other) noexcept;
  ByteSource& operator=(ByteSource&& other) noexcept;
  ~ByteSource();

  std::uint64_t size() const { return size_; }
  /// Up to `n` bytes from `offset` into `to`; fewer at the end or on an I/O error.
  std::size_t read(std::uint64_t offset, void* to, std::size_t n) const;

 private:
  ByteSource() = default;
  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::string memory_;  // when fd_ is -1
};

}  // namespace heddle
