#include "runtime/control/payloads.h"

#include "runtime/control/io.h"
#include "runtime/control/recording.h"

namespace heddle::rt {

void record_payload(uint64_t number, const volatile void* p, uint64_t length) {
  if (!wants(HEDDLE_DETAIL_VALUES)) return;
  const uint64_t size = length < HEDDLE_MAX_PAYLOAD ? length : HEDDLE_MAX_PAYLOAD;
  HeddleResult& r = region->result;
  const uint64_t needed = sizeof(HeddlePayload) + ((size + 7) & ~7ull);
  if (needed > area_capacity<char>(HEDDLE_AREA_PAYLOADS) - r.payload_bytes) return;
  auto* record = reinterpret_cast<HeddlePayload*>(area<char>(HEDDLE_AREA_PAYLOADS) + r.payload_bytes);
  if (!io_peek_bytes(p, size, record + 1)) return;
  *record = {number, size};
  r.payload_bytes += needed;
}

}  // namespace heddle::rt
