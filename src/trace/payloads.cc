#include "src/trace/payloads.h"

#include <algorithm>
#include <cstring>

#include "abi/region.h"
#include "src/trace/bytes.h"
#include "src/trace/format.h"

namespace heddle {

void PayloadEncoder::add(const Payload& payload) {
  if (count_ == 0) first_ = last_ = payload.event;
  ByteWriter w;
  w.varint(payload.event - last_);
  w.string(payload.bytes);
  bytes_.append(w.view());
  last_ = payload.event;
  count_++;
}

void PayloadEncoder::clear() {
  bytes_.clear();
  count_ = 0;
}

bool decode_payloads(std::string_view block, std::uint64_t first, std::uint32_t count, std::uint64_t end,
                     std::vector<Payload>& out) {
  out.clear();
  // A payload has at least two bytes here.
  if (count > block.size() / 2) return false;
  Budget budget(block.size());
  ByteReader r(block, budget);
  out.reserve(count);
  std::uint64_t event = first;
  for (std::uint32_t i = 0; i < count; i++) {
    const std::uint64_t ahead = r.varint();
    const std::string_view bytes = r.view();
    if (r.bad() || (i == 0) != (ahead == 0) || bytes.size() > HEDDLE_MAX_PAYLOAD) return false;
    if (event >= end || ahead >= end - event) return false;
    event += ahead;
    out.push_back({event, std::string(bytes)});
  }
  return r.at_end();
}

std::vector<Payload> payloads_of(std::string_view area, std::uint64_t events) {
  std::vector<Payload> out;
  for (HeddlePayload head; area.size() >= sizeof head;) {
    std::memcpy(&head, area.data(), sizeof head);
    area.remove_prefix(sizeof head);
    const std::uint64_t room = format::padded(head.size);
    if (head.size > HEDDLE_MAX_PAYLOAD || room > area.size()) break;  // a corrupted child
    if (head.event < events) out.push_back({head.event, std::string(area.substr(0, head.size))});
    area.remove_prefix(room);
  }
  std::ranges::stable_sort(out, {}, &Payload::event);
  const auto [same, end] = std::ranges::unique(out, {}, &Payload::event);
  out.erase(same, end);
  return out;
}

}  // namespace heddle
