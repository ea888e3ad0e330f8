// A recording: threads run beside each other, on all processors. What the rest of the runtime knows as "holding the
// baton" is then a lock that a thread takes when it enters the runtime and gives back when it leaves: models, inputs
// and failures work as under control, on one thread at a time, while the program's own code runs in parallel.
//
//   program code (parallel) --call--> baton_take ... point(): waits until it can, logs its step ... baton_give -->
//   program code
//
// Memory is ordered by owners.h. The log of steps with the inputs is a schedule like any other: a replay follows it
// under control.
#pragma once
#include "runtime/control/backend.h"
#include "runtime/control/discipline.h"

namespace heddle::rt {

void parallel_start();
extern const Backend parallel_backend;  // nothing to switch

// What the table has, for recordings, their replays and lifted runs.
void recorded_start();
void followed_start();
void lifted_start();
void recorded_first_thread(Thread& main);
void followed_first_thread(Thread& main);
void recorded_thread_made(Thread& t);
void lifted_thread_made(Thread& t);
void recorded_fork();
void recorded_stay_inside();
void recorded_process_fails(HeddleFailureKind kind);
void recorded_process_exits();
void recorded_begin_owning(Thread& t, const void* p, size_t bytes, bool write);
void followed_begin_owning(Thread& t, const void* p, size_t bytes, bool write);
void end_owning(Thread& t);
void recorded_enter(Thread& t, const Op& op);
uint64_t recorded_now();

// Hooks (places.cc).
void recorded_budget_spent(Thread& t, const HeddleSite* site);
void followed_budget_spent(Thread& t, const HeddleSite* site);
void endless_patience(Thread& t, const HeddleSite* site, uint32_t outcome, const volatile void* address);
bool recorded_count_hook(Thread& t);
bool followed_count_hook(Thread& t);
void recorded_branch(Thread& t, uint32_t outcome, HeddleSite* site);
void followed_branch(Thread& t, uint32_t outcome, HeddleSite* site);
void followed_branch_told(Thread& t, uint32_t outcome, HeddleSite* site);
void recorded_atomic(Thread& t, const volatile void* p, uint32_t size, uint32_t kind, HeddleSite* site);
void followed_atomic(Thread& t, const volatile void* p, uint32_t size, uint32_t kind, HeddleSite* site);
void recorded_fence(Thread& t, uint32_t order, HeddleSite* site);
void followed_fence(Thread& t, uint32_t order, HeddleSite* site);

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

/// The same where control may end meanwhile.
class InsideUnlessGone {
 public:
  explicit InsideUnlessGone(Thread* t) : entered_(t != nullptr) {
    if (HEDDLE_UNLIKELY(parallel) && entered_) baton_take(*t);
  }
  /// Asks again, so that what follows is nowhere a jump: the frame of the function that the program called is kept,
  /// in every discipline.
  ~InsideUnlessGone() {
    if (HEDDLE_UNLIKELY(parallel) && entered_ && self) baton_give(*self);
  }
  InsideUnlessGone(const InsideUnlessGone&) = delete;

 private:
  bool entered_;
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
Wake parallel_turn(Thread& t, const Op& op, Ready ready, void* argument, uint64_t deadline, bool yielding);
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

/// The replay of a recording (follow.cc): where the thread stops next, counted in hooks from here; a stop in the hook
/// it is in: 0.
void set_stop(Thread& t, uint64_t entry);
/// Time passed as it did there: whoever went on without being ready had waited long enough.
void let_recorded_time_pass();

/// The log grows: the first `bytes` of the area can be written. False: the disk is full, which a store would learn by
/// SIGBUS.
bool log_has_room(HeddleAreaId area, uint64_t bytes);
/// The same for inputs.
bool recorded_has_room(uint64_t bytes);
/// False: the disk is full, and writing about another thread would be a fault.
bool recorded_has_room_for_thread();

}  // namespace heddle::rt
