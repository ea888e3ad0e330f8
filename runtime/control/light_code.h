#pragma once
#include <stdint.h>

namespace heddle::rt {

/// Is the call that returns to `return_address` made by a light clone (pass/light.h)? By the clone's mark before its
/// first instruction, which is found through .eh_frame_hdr: no lock, no allocation. False also for code without such a
/// table.
bool is_light_code(uint64_t return_address);

}  // namespace heddle::rt
