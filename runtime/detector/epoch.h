// Epochs: the unit in which the detector tells time.
//
// FastTrack's epoch is a pair (thread, clock). Execution is serialised here, so we number the intervals of all threads
// with ONE counter: an epoch is the n-th interval that any thread opened, its thread is looked up in a table. So a slot
// of the shadow needs 4 bytes, equality of epochs is one comparison, and nothing overflows after 2^20 releases of one
// thread.
//
// An interval ends with a release; the next one is opened at the thread's next access, not before (threads that only
// synchronise use no numbers). In between Thread::epoch is kIdle, which equals no slot: the fast path fails by itself.
//
// At the end of the numbers (2^27 intervals with accesses in one run) everything is forgotten and counting starts
// again: races between accesses on both sides of that moment are missed, none is invented; the user gets a note.
#pragma once
#include "runtime/control/thread.h"

#define HEDDLE_HIDDEN __attribute__((visibility("hidden")))

namespace heddle::rt::detector {

using Epoch = uint32_t;
constexpr Epoch kEmpty = 0;              // a slot nobody used
constexpr Epoch kIdle = 0xffffffffu;     // Thread::epoch: no interval open
constexpr Epoch kEpochLimit = 1u << 27;  // epochs lie in [1, kEpochLimit)

extern HEDDLE_HIDDEN uint16_t* epoch_owner;  // thread index by epoch
extern HEDDLE_HIDDEN Epoch last_epoch;
extern HEDDLE_HIDDEN Epoch epoch_limit;  // kEpochLimit; tests lower it
/// Number of restarts; clocks of an older generation are empty.
extern HEDDLE_HIDDEN uint32_t generation;

Epoch open_epoch(Thread& t);
/// The restart: all accesses and all order between them.
void forget_everything();

/// The thread's open interval; at most once per operation a restart happens in here, so call it before touching any
/// shadow.
inline Epoch current_epoch(Thread& t) {
  return HEDDLE_LIKELY(t.detector.epoch != kIdle) ? t.detector.epoch : open_epoch(t);
}
inline void close_epoch(Thread& t) { t.detector.epoch = kIdle; }
inline uint32_t thread_of(Epoch e) { return epoch_owner[e]; }

}  // namespace heddle::rt::detector
