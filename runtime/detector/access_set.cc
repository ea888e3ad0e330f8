#include "runtime/detector/access_set.h"

#include "runtime/arena.h"
#include "runtime/detector/pool.h"

namespace heddle::rt::detector {

AccessSet* AccessSet::make() {
  size_t bytes = sizeof(AccessSet) + 3 * sizeof(Access);
  auto* set = static_cast<AccessSet*>(pool_allocate(bytes));
  set->count_ = 0;
  set->capacity_ = static_cast<uint32_t>((bytes - sizeof(AccessSet)) / sizeof(Access));
  set->bytes_ = bytes;
  return set;
}

AccessSet* AccessSet::clone(const AccessSet& other) {
  size_t bytes = other.bytes_;
  auto* set = static_cast<AccessSet*>(pool_allocate(bytes));
  set->count_ = other.count_;
  set->capacity_ = other.capacity_;
  set->bytes_ = bytes;
  for (uint32_t i = 0; i < other.count_; i++) set->entries_[i] = other.entries_[i];
  return set;
}

void AccessSet::release(AccessSet* set) {
  if (set) pool_release(set, set->bytes_);
}

bool AccessSet::covers(Epoch e, bool is_write) const {
  for (const Access& a : *this) {
    if (a.epoch == e && a.is_write >= is_write) return true;
  }
  return false;
}

AccessSet* AccessSet::append(const Access& a) {
  AccessSet* set = this;
  if (count_ == capacity_) {
    size_t bytes = bytes_ * 2;
    set = static_cast<AccessSet*>(pool_allocate(bytes));
    set->count_ = count_;
    set->capacity_ = static_cast<uint32_t>((bytes - sizeof(AccessSet)) / sizeof(Access));
    set->bytes_ = bytes;
    for (uint32_t i = 0; i < count_; i++) set->entries_[i] = entries_[i];
    release(this);
  }
  set->entries_[set->count_++] = a;
  return set;
}

AccessSet* AccessSet::add(const Thread& t, const Access& a) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count_; i++) {
    bool superfluous = a.is_write >= entries_[i].is_write && ordered(entries_[i].epoch, t);
    if (!superfluous) entries_[kept++] = entries_[i];
  }
  count_ = kept;
  return append(a);
}

namespace {

constexpr uint32_t kChunkShift = 12, kChunk = 1u << kChunkShift, kChunks = 1u << 14;

// A free handle holds the next free one (tagged by its low bit; sets are 16-aligned).
AccessSet*** chunks;
uint32_t handle_count = 1, first_free;

uintptr_t& raw(uint32_t handle) { return reinterpret_cast<uintptr_t&>(chunks[handle >> kChunkShift][handle % kChunk]); }

}  // namespace

AccessSet*& held_set(uint32_t handle) { return chunks[handle >> kChunkShift][handle % kChunk]; }

uint32_t hold_set(AccessSet* set) {
  uint32_t h = first_free;
  if (h) {
    first_free = static_cast<uint32_t>(raw(h) >> 1);
  } else {
    h = handle_count++;
    HEDDLE_CHECK(h >> kChunkShift < kChunks);
    if (!chunks) chunks = static_cast<AccessSet***>(arena_allocate_cold(sizeof(AccessSet**) * kChunks));
    AccessSet**& chunk = chunks[h >> kChunkShift];
    if (!chunk) chunk = arena_new<AccessSet*>(kChunk);
  }
  held_set(h) = set;
  return h;
}

void drop_set(uint32_t handle) {
  AccessSet::release(held_set(handle));
  raw(handle) = uintptr_t{first_free} << 1 | 1;
  first_free = handle;
}

void drop_all_sets() {
  for (uint32_t h = 1; h < handle_count; h++) {
    if (!(raw(h) & 1)) AccessSet::release(held_set(h));
  }
  handle_count = 1;
  first_free = 0;
}

}  // namespace heddle::rt::detector
