// Several accesses to one cell that are not ordered with each other: readers of a read-shared cell, atomic accesses.
//
// An access is dropped when a newer one makes it superfluous: whatever races with the old one races with the new one
// too.
//   plain read    by a later read (or any plain write) that happens after it
//   atomic read   by a later atomic read or write that happens after it
//   atomic write  by a later atomic write that happens after it
// So a set has at most two entries per thread, and in well-synchronised programs hardly ever more than one.
#pragma once
#include "runtime/detector/clock.h"
#include "runtime/detector/site_ref.h"

namespace heddle::rt::detector {

struct Access {
  Epoch epoch;
  SiteRef site;
  uint32_t stack;
  uint32_t is_write;  // atomics only
};

class AccessSet {
 public:
  /// Empty; from the pool.
  static AccessSet* make();
  static AccessSet* clone(const AccessSet& other);
  static void release(AccessSet* set);

  const Access* begin() const { return entries_; }
  const Access* end() const { return entries_ + count_; }
  uint32_t size() const { return count_; }

  /// Is there an access of that very interval that says as much?
  bool covers(Epoch e, bool is_write) const;
  /// Adds the access that `t` makes now and drops what it makes superfluous. May move: use the result.
  AccessSet* add(const Thread& t, const Access& a);
  /// As add(), for an access of the past.
  AccessSet* append(const Access& a);

 private:
  uint32_t count_, capacity_;
  size_t bytes_;
  Access entries_[];
};

/// Sets named by 4 bytes, so that a cell can hold one. Handles stay valid while their set grows.
uint32_t hold_set(AccessSet* set);
AccessSet*& held_set(uint32_t handle);
void drop_set(uint32_t handle);
void drop_all_sets();

}  // namespace heddle::rt::detector
