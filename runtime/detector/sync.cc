// The detector's life, threads and modelled objects.
#include "runtime/arena.h"
#include "runtime/detector/atomics.h"
#include "runtime/detector/detector.h"
#include "runtime/detector/granules.h"
#include "runtime/detector/pool.h"

namespace heddle::rt::detector {

bool in_run, on;
uint16_t* epoch_owner;
Epoch last_epoch, epoch_limit = kEpochLimit;
uint32_t generation;

namespace {

Clock outside;         // io_release, io_acquire
uint32_t not_joined;  // threads

void release(Thread& t, SyncClock*& c) {
  if (!on || t.detector.ignore_sync) return;
  if (!c) {
    size_t bytes = sizeof(SyncClock);
    c = static_cast<SyncClock*>(pool_allocate(bytes));
    __builtin_memset(static_cast<void*>(c), 0, sizeof *c);
  }
  release_into(t, c->clock);
}

void acquire(Thread& t, const SyncClock* c) {
  if (on && c && !t.detector.ignore_sync) acquire_from(t, c->clock);
}

void forget(SyncClock*& c) {
  if (!c) return;
  c->clock.release();
  pool_release(c, sizeof *c);
  c = nullptr;
}

}  // namespace

void forget_everything() {
  generation++;
  last_epoch = 0;
  forget_shadow();
  drop_all_sets();
  drop_all_atomics();
  for (uint32_t i = 0; i < thread_count(); i++) close_epoch(thread(i));
}

Epoch open_epoch(Thread& t) {
  if (HEDDLE_UNLIKELY(last_epoch + 1 >= epoch_limit)) {
    note("race detector: %u intervals used up; older accesses are forgotten", last_epoch);
    forget_everything();
  }
  Epoch e = ++last_epoch;
  epoch_owner[e] = static_cast<uint16_t>(t.index);
  t.detector.clock->current.set(t.index, e);
  return t.detector.epoch = e;
}

void attach(Thread& t) {
  if (!t.detector.clock) t.detector.clock = arena_new<VectorClock>();
  close_epoch(t);
}

void prepare() {
  map_directory();
  if (!epoch_owner) epoch_owner = static_cast<uint16_t*>(map_far(kEpochLimit * sizeof *epoch_owner));
}

void start() {
  prepare();
  in_run = directory && epoch_owner;
  if (!in_run) return note("race detector: no memory for its shadow; races are not looked for");
  keep_stacks = region->run.detail >= HEDDLE_DETAIL_POINTS;
  for (uint32_t i = 0; i < thread_count(); i++) attach(thread(i));
  not_joined = thread_count();
  on = not_joined > 1;
}

void point_passed(Thread& t) { close_epoch(t); }

void thread_created(Thread& parent, Thread& child) {
  if (!in_run) return;
  not_joined++;
  on = true;
  attach(child);
  release_into(parent, child.detector.clock->current);
}

void thread_started(Thread& t) {
  if (on) reset_range(t.stack_low, t.stack_high - t.stack_low);
}

void thread_joined(Thread& joiner, Thread& joined) {
  if (!in_run) return;
  on = --not_joined > 1;
  acquire_from(joiner, joined.detector.clock->current);
  joined.detector.clock->current.release();
  joined.detector.clock->fenced.release();
  joined.detector.clock->unacquired.release();
}

void acquire(Thread& t, Object& o) { acquire(t, o.clock); }
void release(Thread& t, Object& o) { release(t, o.clock); }
void acquire2(Thread& t, Object& o) { acquire(t, o.clock2); }
void release2(Thread& t, Object& o) { release(t, o.clock2); }
void forget(Object& o) {
  forget(o.clock);
  forget(o.clock2);
}

void io_release(Thread& t) {
  if (on) release_into(t, outside);
}
void io_acquire(Thread& t) {
  if (on) acquire_from(t, outside);
}

}  // namespace heddle::rt::detector
