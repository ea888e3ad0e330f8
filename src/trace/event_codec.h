// Events by column. An event is predicted from what its site did last in the same block; only the error of the
// prediction is stored, mostly zeros, which zstd then removes. Lossless; a block decodes without its neighbours.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/events.h"

namespace heddle {

/// At most format::kEventsPerBlock events. Appends the columns to `out`.
void encode_events(std::span<const HeddleEvent> events, std::string& out);

/// `bytes` is untrusted. False when they are not exactly `count` events; `events` is then unspecified.
bool decode_events(std::string_view bytes, std::uint32_t count, std::vector<HeddleEvent>& events);

}  // namespace heddle
