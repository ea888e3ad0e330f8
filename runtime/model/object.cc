// Objects are found by address in a hash table; all live ones are also on one list, so that free() and the end of a
// stack can forget those in a range: by page when the range is small, by the list when it is large.
#include "runtime/model/object.h"

#include "runtime/arena.h"
#include "runtime/control/scheduler.h"
#include "runtime/detector/detector.h"
#include "runtime/table.h"

namespace heddle::rt {

Object* all_objects;

namespace {

Table<Object*> by_address;  // a dropped object's entry is null until its address is used again
Table<Object*> by_page;     // address >> 12 -> objects of that page, through next_in_page
uint64_t made;

uint64_t key_of(uint64_t address) { return address ? address : 1; }  // annotations may use any number

// A pointer to nowhere must fail where libc would: at its first use.
void touch(const volatile void* address, uint32_t kind) {
  if (kind == HEDDLE_EV_MUTEX_LOCK || kind == HEDDLE_EV_COND_WAIT || kind == HEDDLE_EV_RW_WRLOCK ||
      kind == HEDDLE_EV_SEM_WAIT)
    (void)*static_cast<const volatile char*>(address);
}

void drop(Object& o) {
  if (detector::in_run) detector::forget(o);
  o.info->owner = 0;
  *by_address.find(key_of(o.address)) = nullptr;
  o.dropped = true;
}

constexpr size_t kFilterWords = 1024;
uint64_t* page_filter;  // null, or pages that ever held an object, by hash; read without the baton

void put_in_page(Object& o) {
  if (HEDDLE_UNLIKELY(page_filter != nullptr)) {
    uint64_t bit = (o.address >> 12) % (kFilterWords * 64);
    __atomic_fetch_or(&page_filter[bit / 64], 1ull << (bit % 64), __ATOMIC_RELAXED);
  }
  uint64_t page = key_of(o.address >> 12);
  Object** first = by_page.find(page);
  if (!first) first = &by_page.insert(page, nullptr);
  o.next_in_page = *first;
  *first = &o;
}

// The region's table is bounded; past that, objects share the last record (a name, no behaviour).
void give_record(Object& o) {
  HeddleResult& r = region->result;
  uint64_t capacity = area_capacity<HeddleObjectInfo>(HEDDLE_AREA_OBJECTS);
  uint32_t index = r.object_count < capacity ? r.object_count++ : (uint32_t)capacity - 1;
  o.id = index + 1;
  o.info = &area<HeddleObjectInfo>(HEDDLE_AREA_OBJECTS)[index];
  *o.info = HeddleObjectInfo{};
  o.info->address = o.address;
  o.info->kind = o.kind;
}

}  // namespace

Object* find_object(const volatile void* address) {
  Object** found = by_address.find(key_of((uint64_t)address));
  return found ? *found : nullptr;
}

Object& object_at(const volatile void* address, uint32_t kind) {
  uint64_t key = key_of((uint64_t)address);
  Object** slot = by_address.find(key);
  if (HEDDLE_LIKELY(slot && *slot && (*slot)->kind == kind)) return **slot;
  touch(address, kind);
  if (slot && *slot) drop(**slot);  // its memory is something else now
  Object* o = arena_new<Object>();
  o->address = (uint64_t)address;
  o->kind = kind;
  o->free_word = kModelDecides;
  give_record(*o);
  o->info->first_stack = capture_stack(__builtin_frame_address(0), __builtin_return_address(0));
  if (slot)
    *slot = o;
  else
    by_address.insert(key, o);
  put_in_page(*o);
  o->next = all_objects;
  all_objects = o;
  made++;
  return *o;
}

void drop_object(const volatile void* address) {
  if (Object* o = find_object(address)) drop(*o);
}

void drop_objects_in(const volatile void* address, size_t bytes) {
  if (!made || !bytes) return;
  uint64_t low = (uint64_t)address, high = low + bytes;
  auto drop_if_inside = [&](Object* o) {
    if (!o->dropped && o->address >= low && o->address < high) drop(*o);
  };
  if ((bytes >> 12) > made) {
    for (Object* o = all_objects; o; o = o->next) drop_if_inside(o);
    return;
  }
  for (uint64_t page = low >> 12; page <= (high - 1) >> 12; page++)
    if (Object** first = by_page.find(key_of(page)))
      for (Object* o = *first; o; o = o->next_in_page) drop_if_inside(o);
}

void objects_start() { page_filter = arena_new<uint64_t>(kFilterWords); }

bool may_hold_objects(const volatile void* address, size_t bytes) {
  uint64_t page = (uint64_t)address >> 12, last = ((uint64_t)address + bytes) >> 12;
  if (last - page > 64) return true;
  for (; page <= last; page++)
    if (__atomic_load_n(&page_filter[page % (kFilterWords * 64) / 64], __ATOMIC_RELAXED) & (1ull << (page % 64)))
      return true;
  return false;
}

void set_owner(Object& o, Thread* t) {
  o.owner = t ? t->index + 1 : 0;
  o.info->owner = o.owner;
  o.info->held_stack = t ? t->info->pending_stack : 0;
}

}  // namespace heddle::rt
