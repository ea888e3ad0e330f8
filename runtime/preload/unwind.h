#pragma once
#include <stdint.h>
namespace heddle::rt {
/// A FrameWalk for code that nobody compiled with frame pointers: by its .eh_frame.
unsigned walk_unwind_tables(uint64_t* frames, unsigned limit, void* return_address);
}  // namespace heddle::rt
