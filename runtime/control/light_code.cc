// Rules of this file: called at any point, also while another thread is inside the dynamic linker: _dl_find_object()
// only, which takes no lock.
#include "runtime/control/light_code.h"

#include <dlfcn.h>

#include "abi/light.h"

namespace heddle::rt {
namespace {

// .eh_frame_hdr as every linker writes it: a sorted table of functions, all places relative to the header.
struct Header {
  uint8_t version, eh_frame_encoding, count_encoding, table_encoding;
  int32_t eh_frame;
  uint32_t count;
  struct {
    int32_t function, description;
  } entries[];
};
constexpr uint8_t kVersion = 1, kUnsigned4 = 0x03, kSigned4RelativeToHeader = 0x3b;

// The first instruction of the function that has the one at `pc`. 0: unknown.
uint64_t function_at(const void* table, uint64_t pc) {
  const auto& header = *static_cast<const Header*>(table);
  if (header.version != kVersion || header.count_encoding != kUnsigned4 ||
      header.table_encoding != kSigned4RelativeToHeader)
    return 0;
  const uint64_t base = reinterpret_cast<uint64_t>(table);
  uint32_t low = 0, high = header.count;  // functions before `low` begin at or before pc
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    base + static_cast<uint64_t>(static_cast<int64_t>(header.entries[middle].function)) <= pc ? (void)(low = middle + 1)
                                                                                              : (void)(high = middle);
  }
  return low ? base + static_cast<uint64_t>(static_cast<int64_t>(header.entries[low - 1].function)) : 0;
}

}  // namespace

bool is_light_code(uint64_t return_address) {
  const uint64_t call = return_address - 1;
  dl_find_object found;
  if (_dl_find_object(reinterpret_cast<void*>(call), &found) != 0 || !found.dlfo_eh_frame) return false;
  const uint64_t function = function_at(found.dlfo_eh_frame, call);
  uint64_t mark;
  if (function < reinterpret_cast<uint64_t>(found.dlfo_map_start) + sizeof mark) return false;
  __builtin_memcpy(&mark, reinterpret_cast<const void*>(function - sizeof mark), sizeof mark);
  return mark == HEDDLE_LIGHT_MARK;
}

}  // namespace heddle::rt
