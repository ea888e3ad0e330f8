// What atomic instructions did to an address: who accessed it (for races with plain accesses) and what a reader of its
// present value synchronises with (release sequences). A record exists exactly while the cell of its address has
// kHasAtomics.
#pragma once
#include "runtime/detector/access_set.h"

namespace heddle::rt::detector {

/// The release sequence that a value belongs to. All granules that one store wrote share it, so a wide atomic needs one
/// clock, and a load of another size finds it at each part of what it reads.
struct Release {
  Clock clock;
  uint32_t references;  // records that name it
};

struct AtomicRecord {
  uintptr_t address;   // of the granule; 0: a free slot of the table
  AccessSet* history;  // null: none
  Release* released;   // null: the present value belongs to no release sequence
};

/// Null if there is none. Valid until the next make_atomic/drop_atomic.
AtomicRecord* find_atomic(uintptr_t address);
AtomicRecord& make_atomic(uintptr_t address);
void drop_atomic(uintptr_t address);
void drop_all_atomics();

/// A release sequence without members.
Release* make_release();
/// The record's value belongs to `next` from now on (null: to none).
void set_release(AtomicRecord& r, Release* next);

}  // namespace heddle::rt::detector
