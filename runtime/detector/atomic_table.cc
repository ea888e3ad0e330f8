// Open addressing with linear probing; deletion shifts back what follows, so there are no tombstones.
#include "runtime/detector/atomics.h"
#include "runtime/detector/pool.h"

namespace heddle::rt::detector {
namespace {

AtomicRecord* table;
uint32_t capacity, count;  // capacity is a power of two
size_t table_bytes;

uint32_t home(uintptr_t address) {
  return static_cast<uint32_t>((address * 0x9e3779b97f4a7c15ull) >> 32) & (capacity - 1);
}

void move(AtomicRecord& to, AtomicRecord& from) {
  to.address = from.address;
  to.history = from.history;
  to.released = from.released;
  from = {};
}

AtomicRecord& slot(uintptr_t address) {
  uint32_t i = home(address);
  while (table[i].address && table[i].address != address) i = (i + 1) & (capacity - 1);
  return table[i];
}

void grow() {
  AtomicRecord* old = table;
  uint32_t old_capacity = capacity;
  size_t old_bytes = table_bytes;
  capacity = capacity ? capacity * 2 : 64;
  table_bytes = capacity * sizeof(AtomicRecord);
  table = static_cast<AtomicRecord*>(pool_allocate(table_bytes));
  __builtin_memset(static_cast<void*>(table), 0, capacity * sizeof(AtomicRecord));
  for (uint32_t i = 0; i < old_capacity; i++) {
    if (old[i].address) move(slot(old[i].address), old[i]);
  }
  pool_release(old, old_bytes);
}

void empty(AtomicRecord& r) {
  AccessSet::release(r.history);
  set_release(r, nullptr);
  r = {};
}

}  // namespace

Release* make_release() {
  size_t bytes = sizeof(Release);
  auto* made = static_cast<Release*>(pool_allocate(bytes));
  __builtin_memset(static_cast<void*>(made), 0, sizeof *made);
  return made;
}

void set_release(AtomicRecord& r, Release* next) {
  if (next) next->references++;
  if (Release* last = r.released; last && --last->references == 0) {
    last->clock.release();
    pool_release(last, sizeof *last);
  }
  r.released = next;
}

AtomicRecord* find_atomic(uintptr_t address) {
  if (!table) return nullptr;
  AtomicRecord& r = slot(address);
  return r.address ? &r : nullptr;
}

AtomicRecord& make_atomic(uintptr_t address) {
  if (capacity < (count + 1) * 2) grow();
  AtomicRecord& r = slot(address);
  if (!r.address) {
    r.address = address;
    count++;
  }
  return r;
}

void drop_atomic(uintptr_t address) {
  AtomicRecord* r = find_atomic(address);
  if (!r) return;
  empty(*r);
  count--;
  uint32_t hole = static_cast<uint32_t>(r - table);
  for (uint32_t i = (hole + 1) & (capacity - 1); table[i].address; i = (i + 1) & (capacity - 1)) {
    uint32_t wanted = home(table[i].address);
    // Move it unless its home lies cyclically in (hole, i].
    bool stays = hole <= i ? (hole < wanted && wanted <= i) : (hole < wanted || wanted <= i);
    if (stays) continue;
    move(table[hole], table[i]);
    hole = i;
  }
}

void drop_all_atomics() {
  for (uint32_t i = 0; i < capacity; i++) {
    if (table[i].address) empty(table[i]);
  }
  count = 0;
}

}  // namespace heddle::rt::detector
