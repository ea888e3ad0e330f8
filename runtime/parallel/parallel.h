// A recording: threads run beside each other, on all processors. What the rest of the runtime knows as "holding the baton" is
// then a lock that a thread takes when it enters the runtime and gives back when it leaves: models, inputs and failures work as
// under control, on one thread at a time, while the program's own code runs in parallel.
//
//   program code (parallel) --call--> baton_take ... point(): waits until it can, logs its step ... baton_give --> program code
//
// Memory is ordered by owners.h. The log of steps with the inputs is a schedule like any other: a replay follows it under control.
#pragma once
#include "runtime/control/scheduler.h"
#include "runtime/control/thread.h"

namespace heddle::rt {

/// This run is a recording.
extern bool parallel;
/// This run is a recording, the replay of one, or a lifted one: what libc does inside is modelled, and inputs have the shape of a recording's.
extern bool by_hooks;
/// Not a lifted one (abi/record_hooks.h): atomic operations are no points, and hooks count as places (owners.h).
extern bool by_places;

void parallel_start();

/// Record clones (record_hooks.cc), in recordings and their replays. Before the first thread.
void record_hooks_start();
void record_hooks_new_thread(Thread& t);
extern uint64_t* record_states;  // what inline checks look at; in a replay all are 0, and so is what they compare with

void baton_take(Thread& t);
void baton_give(Thread& t);
/// The thread leaves the runtime for good or for the program's own code, however deep in it it is.
uint32_t baton_give_all(Thread& t);
void baton_take_back(Thread& t, uint32_t depth);
/// A thread that ended: never runs again.
void baton_finish(Thread& t);

/// An entry into the runtime. Nests.
class Inside {
 public:
  Inside() : thread_(HEDDLE_UNLIKELY(parallel) ? self : nullptr) {
    if (HEDDLE_UNLIKELY(thread_ != nullptr)) baton_take(*thread_);
  }
  ~Inside() {
    if (HEDDLE_UNLIKELY(thread_ != nullptr) && parallel) baton_give(*thread_);
  }
  Inside(const Inside&) = delete;

 private:
  Thread* thread_;
};

/// Code of the program is called from inside the runtime.
class Outside {
 public:
  explicit Outside(Thread& t) : thread_(t), depth_(HEDDLE_UNLIKELY(parallel) ? baton_give_all(t) : 0) {}
  ~Outside() {
    if (HEDDLE_UNLIKELY(depth_)) baton_take_back(thread_, depth_);
  }
  Outside(const Outside&) = delete;

 private:
  Thread& thread_;
  uint32_t depth_;
};

/// The scheduler's wait_for_turn(): returns when the operation can be executed, its step logged.
Wake parallel_turn(Thread& t, const Op& op, Ready ready, void* argument, uint64_t deadline);
void parallel_leave(Thread& t);
/// Back from outside: first with the baton, then with the step of the return.
void parallel_come_back(Thread& t);
void parallel_enter(Thread& t, const Op& op);
void parallel_finished(Thread& t);
/// Threads that ended have given their stacks back to libc: the next one may get such a stack.
void await_ended_threads();
/// Logs a step of `t`; it holds the baton.
void log_step(Thread& t, const Op& op, uint32_t hooks);
uint64_t real_elapsed();

/// The replay of a recording (follow.cc): where the thread stops next, counted in hooks from here; a stop in the hook it is in: 0.
void set_stop(Thread& t, uint64_t entry);
/// Time passed as it did there: whoever went on without being ready had waited long enough.
void let_recorded_time_pass();

/// The log grows: the first `bytes` of the area can be written. False: the disk is full, which a store would learn by SIGBUS.
bool log_has_room(HeddleAreaId area, uint64_t bytes);

}  // namespace heddle::rt
