// The host's end of the region (abi/region.h): one memfd that host, fork server and child share.
//
// Rules of this file
// - The child may be corrupted by its own bug: nothing that lies in the region is believed. Offsets and sizes are the
//   host's own (HostLayout), counts are clamped to the area before anything is read, and data is copied out once.
// - The memfd is sparse: a page costs memory when somebody touches it, so areas are sized for the worst run.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "abi/events.h"
#include "abi/region.h"
#include "src/result/result.h"

namespace heddle {

class Region {
 public:
  /// Errors: no memfd, no address space; `file`: a recording, which lies there from its first byte on (abi/region.h).
  static Result<Region> create(const std::filesystem::path& file = {});
  /// The file of a recording whose host did not live to finish it. Read only. Errors: another version, not whole.
  static Result<Region> open_recording(const std::filesystem::path& file);
  Region(Region&& other) noexcept;
  Region& operator=(Region&&) = delete;
  ~Region();

  HeddleRegion& header() const { return *header_; }
  int fd() const { return fd_; }

  /// Back to the state a new server expects. Only while no server lives.
  void reset_for_server();

  /// Copies `pieces`, one behind the other, to the start of an input area; false when they do not fit.
  bool fill(HeddleAreaId area, std::initializer_list<std::span<const std::byte>> pieces);

  /// How many T fit in the area.
  template <class T>
  std::size_t capacity(HeddleAreaId area) const {
    return areas_[area].size / sizeof(T);
  }
  /// A copy of the first `count` elements, at most as many as the area has (and at most `limit`).
  template <class T>
  std::vector<T> copy(HeddleAreaId area, std::uint64_t count, std::uint64_t limit = ~0ull) const {
    count = std::min<std::uint64_t>({count, capacity<T>(area), limit});
    const T* first = reinterpret_cast<const T*>(base_ + areas_[area].offset);
    return std::vector<T>(first, first + count);
  }
  std::string copy_bytes(HeddleAreaId area, std::uint64_t count) const;
  /// The area itself, for the ring and the stacks, which are read in place: another process may change it under the
  /// reader.
  template <class T>
  std::span<const T> live(HeddleAreaId area) const {
    return {reinterpret_cast<const T*>(base_ + areas_[area].offset), capacity<T>(area)};
  }

  /// Room on the disk for the first `bytes` of an area, so that a full one is an error here and not SIGBUS later.
  Status reserve(HeddleAreaId area, std::uint64_t bytes);

  /// Gives the memory of the output areas back when a run used much of it.
  void trim();

 private:
  Region() = default;
  Status make(const std::filesystem::path& file);
  void lay_out(bool recording);
  void forget_log_of_replaced_recording() const;
  std::byte* base_ = nullptr;
  HeddleRegion* header_ = nullptr;
  int fd_ = -1;
  std::uint64_t total_ = 0;
  std::array<HeddleArea, HEDDLE_AREA_COUNT> areas_{};
};

/// A NUL-terminated string of at most `size` bytes that may lack its NUL.
std::string bounded_string(const char* text, std::size_t size);

}  // namespace heddle
