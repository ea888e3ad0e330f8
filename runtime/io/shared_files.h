// Files that are written by stores: shared mappings of them. What lies in one is compared when the program says that it
// shall be in the file (msync), when the mapping goes (munmap, mremap, another mapping in its place) and when the
// process ends.
//
//   record of the mapping:  flag kInputShared: it is compared
//   record of a comparison: HEDDLE_IN_MMAP, kInputShared, the number of the call; data: SharedContents
//                           at the end of the process in a stream of its own (kEndStream): any thread may end it
#pragma once
#include "runtime/io/stream.h"

namespace heddle::rt {

extern uint32_t shared_files;  // mappings that are followed

/// A recording has mapped `bytes` of a file at `address`; true: they will be compared.
bool shared_file_mapped(const Call& c, uint64_t address, uint64_t bytes);
/// Its replay has.
void shared_file_fed(const Call& c, uint64_t address, uint64_t bytes);

/// In a recording, with the baton and before the step: nobody changes what lies there until it is compared.
void own_shared(Thread& t, uint64_t low, uint64_t high);
/// What lies in this range leaves the program now, by this call. `gone`: and the mapping with it.
void shared_leaves(const Call& c, uint64_t low, uint64_t high, bool gone, uint32_t flags);
/// mremap: the mapping is somewhere else now. Asked before the call; and told behind it.
struct SharedMove {
  uint64_t bytes = 0, device = 0, inode = 0, offset = 0;
  bool known = false, foreign = false;
  char name[56] = {};
};
SharedMove shared_at(uint64_t address);
void shared_moved(const SharedMove& moved, uint64_t address, uint64_t length);

/// A recording: the call may have changed a file that is mapped, too, which its replay does not do.
void shared_file_written(const Call& c, long result);
/// ... a child of the program may do so.
void shared_files_inherited();

}  // namespace heddle::rt
