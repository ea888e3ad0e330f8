// Happens-before race detector of FastTrack kind (Flanagan & Freund, PLDI 2009), exact on the executed trace. Runs
// under control only, so it needs no atomics. It observes and never influences the schedule.
#pragma once
#include "runtime/control/thread.h"
#include "runtime/model/object.h"

namespace heddle::rt::detector {

extern __attribute__((visibility("hidden"))) bool in_run;  // fixed for one run, unless memory runs out
/// in_run, and more than one thread exists that was not joined. What a thread does while it is alone happens after all
/// that was before and before all that others will do: nothing of it need be remembered.
extern __attribute__((visibility("hidden"))) bool on;

/// Called at each new race after it was recorded, if set (run.fail_on_race). May end the run.
extern __attribute__((visibility("hidden"))) void (*on_race)(const HeddleRace& race);

void prepare();  // in the fork server: maps the (untouched) tables that all runs inherit; optional
void start();    // scheduler_start(), when run.detector; microseconds after prepare(). Threads that exist already are
                 // attached
/// An access of `t` that is a scheduling point was executed: what it accesses from here on is kept apart from before.
/// Without this, of several writes of one interval only the first would be seen to race, and only that one would become
/// a scheduling point.
void point_passed(Thread& t);
void thread_created(Thread& parent, Thread& child);  // fork edge; also clears the shadow of the child's stack later
void thread_started(Thread& t);                      // on t, its stack bounds are known: shadow of its stack is fresh
void thread_joined(Thread& joiner, Thread& joined);

/// Synchronisation through a modelled object (clock kept in Object::clock / clock2).
void acquire(Thread& t, Object& o);  // t joins o
void release(Thread& t,
             Object& o);  // o joins t (release-store for single-owner objects would be `=`; join is right for all)
void acquire2(Thread& t, Object& o);  // the same on Object::clock2 (rwlock readers, barriers)
void release2(Thread& t, Object& o);
void forget(Object& o);  // the object is dropped: its clocks are given back

/// Atomic instruction at `address`, called after it was executed. Handles orders, release sequences and fences.
/// Atomics do not race with atomics; a plain access racing with an atomic one is a race.
void atomic(Thread& t, const volatile void* address, uint32_t size, uint32_t kind, uint32_t order, bool success,
            HeddleSite* site);
void fence(Thread& t, uint32_t order);

/// Plain accesses; hooks call the templates of fast_path.h, which come here when there is something to do.
/// `site` is a static site, `pc_site` an interned code address for intercepted calls (then site is null).
void read(Thread& t, const volatile void* address, uint32_t size, HeddleSite* site);
void write(Thread& t, const volatile void* address, uint32_t size, HeddleSite* site);
void range(Thread& t, const volatile void* address, size_t length, bool is_write, HeddleSite* site, uint32_t pc_site);

/// Heap: malloc'ed memory is fresh; free() is a write to all of it.
void allocated(Thread& t, const void* address, size_t bytes);
void freed(Thread& t, const void* address, size_t bytes, uint32_t pc_site);
/// Races in [address, address + bytes) are wanted that way: none is reported until the memory is freed.
void benign(const volatile void* address, size_t bytes);
/// Outside channels (pipes, sockets): one global object, over-approximated.
void io_release(Thread& t);
void io_acquire(Thread& t);

}  // namespace heddle::rt::detector
