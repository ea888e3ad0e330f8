// Objects are found by address through open hashing; a second chain per 4 KiB page lets free() forget the ones in a range.
#include "runtime/model/object.h"

#include "runtime/arena.h"
#include "runtime/control/scheduler.h"
#include "runtime/detector/detector.h"

namespace heddle::rt {
namespace {

constexpr uint32_t kSlots = 1u << 16;
struct ByAddress {
  Object object;
  ByAddress* next;
  bool dropped;
};
ByAddress** by_address;
ByAddress** by_page;  // through object.next_in_page
uint64_t live_objects;

uint32_t slot(uint64_t key) { return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 48) & (kSlots - 1); }

void make_tables() {
  by_address = arena_new<ByAddress*>(kSlots);
  by_page = arena_new<ByAddress*>(kSlots);
}

ByAddress* find_entry(uint64_t address) {
  if (!by_address) return nullptr;
  for (ByAddress* e = by_address[slot(address)]; e; e = e->next)
    if (e->object.address == address && !e->dropped) return e;
  return nullptr;
}

void drop(ByAddress* e) {
  e->dropped = true;
  if (detector::on) detector::forget(e->object);
  e->object.info->owner = 0;
  live_objects--;
}

}  // namespace

Object* find_object(const volatile void* address) {
  ByAddress* e = find_entry((uint64_t)address);
  return e ? &e->object : nullptr;
}

Object& object_at(const volatile void* address, uint32_t kind) {
  uint64_t key = (uint64_t)address;
  if (ByAddress* e = find_entry(key)) return e->object;
  if (!by_address) make_tables();
  HeddleResult& r = region->result;
  // The table of the region is bounded; past that, objects share the last record (names only, no behaviour).
  uint64_t capacity = area_capacity<HeddleObjectInfo>(HEDDLE_AREA_OBJECTS);
  uint32_t index = r.object_count < capacity ? r.object_count++ : (uint32_t)capacity - 1;
  ByAddress* e = arena_new<ByAddress>();
  e->object.address = key;
  e->object.id = index + 1;
  e->object.kind = kind;
  e->object.info = &area<HeddleObjectInfo>(HEDDLE_AREA_OBJECTS)[index];
  *e->object.info = HeddleObjectInfo{};
  e->object.info->address = key;
  e->object.info->kind = kind;
  e->next = by_address[slot(key)];
  by_address[slot(key)] = e;
  uint32_t page = slot(key >> 12);
  e->object.next_in_page = by_page[page] ? &by_page[page]->object : nullptr;
  by_page[page] = e;
  live_objects++;
  return e->object;
}

void drop_object(const volatile void* address) {
  if (ByAddress* e = find_entry((uint64_t)address)) drop(e);
}

void drop_objects_in(const volatile void* address, size_t bytes) {
  if (!live_objects || !bytes) return;
  uint64_t low = (uint64_t)address, high = low + bytes;
  auto drop_page = [&](uint32_t page) {
    for (Object* o = by_page[page] ? &by_page[page]->object : nullptr; o; o = o->next_in_page) {
      ByAddress* e = reinterpret_cast<ByAddress*>(o);
      if (!e->dropped && o->address >= low && o->address < high) drop(e);
    }
  };
  if ((high >> 12) - (low >> 12) >= kSlots) {
    for (uint32_t i = 0; i < kSlots; i++) drop_page(i);
    return;
  }
  for (uint64_t page = low >> 12; page <= (high - 1) >> 12; page++) drop_page(slot(page));
}

void set_owner(Object& o, Thread* t) {
  o.owner = t ? t->index + 1 : 0;
  o.info->owner = o.owner;
  o.info->held_stack = t ? t->info->pending_stack : 0;
}

}  // namespace heddle::rt
