// The host's end of a ring in the region (HeddleRing). The child may be corrupted: its counters are checked, and what
// it wrote is copied before anybody looks at it, since it may go on writing there.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "abi/region.h"
#include "src/engine/futex.h"

namespace heddle {

template <class T>
class RingReader {
 public:
  /// Before a run.
  void restart(HeddleRing& ring) {
    std::atomic_ref(ring.head).store(0);
    std::atomic_ref(ring.tail).store(tail_ = 0);
  }

  /// Gives what has come to `take` (may be null), at most two pieces, and makes room. False: the ring is broken.
  bool drain(HeddleRing& ring, std::span<const T> slots, const std::function<void(std::span<const T>)>& take) {
    const std::uint64_t head = std::atomic_ref(ring.head).load();
    const bool sound = head >= tail_ && head - tail_ <= slots.size();
    if (sound && head == tail_) return true;
    for (std::uint64_t at = tail_; sound && take && at < head;) {
      const std::uint64_t index = at % slots.size(), count = std::min(head - at, slots.size() - index);
      const std::span<const T> piece = slots.subspan(index, count);
      copied_.assign(piece.begin(), piece.end());
      take(copied_);
      at += count;
    }
    std::atomic_ref(ring.tail).store(tail_ = head);
    std::atomic_ref(ring.tail_futex).fetch_add(1);
    futex_wake_all(ring.tail_futex);
    return sound;
  }

 private:
  std::uint64_t tail_ = 0;  // our own: the one in the region may be overwritten
  std::vector<T> copied_;
};

}  // namespace heddle
