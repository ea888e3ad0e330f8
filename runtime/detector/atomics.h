// What atomic instructions did to an address: who accessed it (for races with plain accesses) and what a reader of its
// present value synchronises with (release sequences). A record exists exactly while the cell of its address has
// kHasAtomics.
#pragma once
#include "runtime/detector/access_set.h"

namespace heddle::rt::detector {

struct AtomicRecord {
  uintptr_t address;   // 0: a free slot of the table
  AccessSet* history;  // null: none
  Clock released;      // of the release sequence that the present value belongs to
};

/// Null if there is none. Valid until the next make_atomic/drop_atomic.
AtomicRecord* find_atomic(uintptr_t address);
AtomicRecord& make_atomic(uintptr_t address);
void drop_atomic(uintptr_t address);
void drop_all_atomics();

}  // namespace heddle::rt::detector
