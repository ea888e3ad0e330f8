// A hash table from non-zero 64-bit keys to small values: open addressing, grows, never shrinks. It starts within one
// page: a run touches as little memory as it needs, since every first touch costs a page fault in a freshly forked
// child.
#pragma once
#include "runtime/arena.h"

namespace heddle::rt {

inline uint64_t mix_bits(uint64_t h) {
  h *= 0x9e3779b97f4a7c15ull;
  h ^= h >> 32;
  h *= 0xbf58476d1ce4e5b9ull;
  return h ^ (h >> 29);
}

template <class Value>
class Table {
 public:
  /// Null when absent.
  Value* find(uint64_t key) {
    if (!slots_) return nullptr;
    for (uint32_t i = (uint32_t)mix_bits(key) & mask_;; i = (i + 1) & mask_) {
      if (HEDDLE_LIKELY(slots_[i].key == key)) return &slots_[i].value;
      if (!slots_[i].key) return nullptr;
    }
  }
  /// `key` must be absent.
  Value& insert(uint64_t key, Value value) {
    if (!slots_ || count_ * 2 > mask_) grow();
    count_++;
    return place(key, value);
  }

 private:
  struct Slot {
    uint64_t key;
    Value value;
  };
  Value& place(uint64_t key, Value value) {
    uint32_t i = (uint32_t)mix_bits(key) & mask_;
    while (slots_[i].key) i = (i + 1) & mask_;
    slots_[i] = {key, value};
    return slots_[i].value;
  }
  void grow() {
    Slot* old = slots_;
    uint32_t old_size = old ? mask_ + 1 : 0, size = old ? old_size * 2 : 32;
    slots_ = arena_new<Slot>(size);
    mask_ = size - 1;
    for (uint32_t i = 0; i < old_size; i++)
      if (old[i].key) place(old[i].key, old[i].value);
  }
  Slot* slots_;
  uint32_t mask_, count_;
};

}  // namespace heddle::rt
