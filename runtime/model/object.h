// Modelled synchronisation objects, found by address. One record serves every primitive; which fields mean something
// depends on the primitive. Records are created at first use, dropped when their memory is freed or re-initialised.
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

struct SyncClock;  // runtime/detector/clock.h: vector clock of the object, null until released once

struct Object {
  uint64_t address;
  uint32_t id;             // index + 1 in the region's object table; stable for one schedule
  uint32_t kind;
  // mutex: beside its address, for the cache
  uint32_t free_word;   // who has it, while the fields below need not be true (parallel/free_steps.h); or kModelDecides
  uint32_t lock_waits;  // threads that wait for it
  uint64_t last_step;   // where the word says more than kModelDecides: the number of the last step on it,
  uint32_t last_by;     // ... the index of its thread, or several (parallel/step_log.h)
  bool used_with_cond;  // who waits there counts on the model
  bool dropped;
  HeddleObjectInfo* info;
  SyncClock* clock;
  // mutex, spinlock, rwlock (writer), once (runner)
  uint32_t owner;          // thread index + 1
  uint32_t depth;          // recursion
  uint32_t readers;        // rwlock
  bool initialised, abandoned, inconsistent;
  // semaphore value, barrier threshold, once state
  int64_t value;
  uint32_t arrived, generation;
  // condition variables and futexes: waiters in order of arrival
  uint64_t sequence;       // of waits and signals
  void* waiters;           // primitive's own list
  Object* next_in_page;
  Object* next;            // all objects
  SyncClock* clock2;       // rwlock: what readers released
};

/// The object at `address`, created as `kind` if new.
Object& object_at(const volatile void* address, uint32_t kind);
Object* find_object(const volatile void* address);
/// Forget it (destroy, init again).
void drop_object(const volatile void* address);
/// Memory was freed or handed out anew: forgets every object inside.
void drop_objects_in(const volatile void* address, size_t bytes);
extern Object* all_objects;  // every one ever made, through next
template <class F>
void for_all_objects(F f) {
  for (Object* o = all_objects; o; o = o->next) f(*o);
}
constexpr uint32_t kModelDecides = ~0u;

/// Before the first object, so that may_hold_objects() can be asked.
void objects_start();
/// False: certainly not. May be asked without the baton.
bool may_hold_objects(const volatile void* address, size_t bytes);

void set_owner(Object& o, Thread* t);  // keeps info->owner and held_stack in step

}  // namespace heddle::rt
