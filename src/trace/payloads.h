// The bytes that events of ranges read or wrote: blocks of their own in a trace (docs/trace-format.md), which nobody
// reads who does not ask.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// What lay in the range of an event: of a read before it, of a write behind it. Fewer bytes than the event's length:
/// the rest was not kept.
struct Payload {
  std::uint64_t event = 0;  // its number in the trace, from 0
  std::string bytes;
  bool operator==(const Payload&) const = default;
};

/// One block: payloads of ascending events.
class PayloadEncoder {
 public:
  void add(const Payload& payload);
  bool full() const { return bytes_.size() >= kFull; }
  std::uint32_t count() const { return count_; }
  std::uint64_t first() const { return first_; }
  const std::string& bytes() const { return bytes_; }
  void clear();

 private:
  static constexpr std::size_t kFull = 1u << 20;
  std::string bytes_;
  std::uint64_t first_ = 0, last_ = 0;
  std::uint32_t count_ = 0;
};

/// Untrusted. False: it is no block of `count` payloads that begins with event `first` and ends before event `end`.
bool decode_payloads(std::string_view block, std::uint64_t first, std::uint32_t count, std::uint64_t end,
                     std::vector<Payload>& out);

/// From what a run left in its region (HEDDLE_AREA_PAYLOADS), which its program may have overwritten: by event, one at
/// most for each of the first `events`.
std::vector<Payload> payloads_of(std::string_view area, std::uint64_t events);

}  // namespace heddle
