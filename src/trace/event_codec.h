// Events by column. An event is predicted from what its site did last in the same block; only the error of the
// prediction is stored, mostly zeros, which zstd then removes. Lossless; a block decodes without its neighbours.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/events.h"

namespace heddle {

/// Of one block after the other, as the events come.
class EventEncoder {
 public:
  EventEncoder();
  ~EventEncoder();
  /// Of the block that has begun: at most format::kEventsPerBlock altogether.
  void add(std::span<const HeddleEvent> events);
  std::uint32_t count() const;
  /// Appends the columns of the block to `out`.
  void finish(std::string& out);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// `bytes` is untrusted. False when they are not exactly `count` events; `events` is then unspecified.
bool decode_events(std::string_view bytes, std::uint32_t count, std::vector<HeddleEvent>& events);

}  // namespace heddle
