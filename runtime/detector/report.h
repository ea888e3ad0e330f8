// Races become records in the region, once per unordered pair of static sites and run.
#pragma once
#include "runtime/detector/access_set.h"
#include "runtime/detector/shadow.h"

namespace heddle::rt {
/// Static id of a site; runtime/hooks/sites.cc.
}  // namespace heddle::rt

namespace heddle::rt::detector {

/// What a thread is doing now.
struct Doing {
  Thread& t;
  SiteRef site;
  uint32_t kind;      // HEDDLE_EV_*, when the site is no static one
  uintptr_t address;  // of the whole access; ranges report the granule instead
  uint32_t size;      // 0: a range
  void* frame;        // to capture the stack from: this frame and its callers
  void* caller;
  uint32_t stack = 0;  // captured when needed

  uint32_t get_stack();
};

/// `first` is unordered with `second`, and one of them is a plain access. `first_kind`: what it was, if its site cannot
/// tell.
void report(const Granule& g, const Access& first, uint32_t first_kind, Doing& second);

/// Report everything of the cell that `me` races with: the last plain write, the plain reads, the atomics. True if
/// there is any.
bool check_plain_write(const Granule& g, Doing& me);
bool check_plain_reads(const Granule& g, Doing& me);
bool check_atomics(const Granule& g, Doing& me, bool writes_only);

/// Accesses from this code address are calls of free().
void remember_free(SiteRef site);

bool is_benign(uintptr_t address);
bool any_benign();
void forget_benign(uintptr_t address, size_t bytes);

}  // namespace heddle::rt::detector
