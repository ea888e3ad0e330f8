// A thread of the program under control. Index 0 is main. Owned by the scheduler; fields belong to the baton holder.
#pragma once
#include <pthread.h>

#include "abi/record_hooks.h"
#include "runtime/rt.h"

namespace heddle::rt {

/// Can the pending operation be executed now? Pure; asked by whoever holds the baton.
using Ready = bool (*)(void* argument);

struct Op {
  uint32_t kind = HEDDLE_EV_NONE;
  uint32_t site = 0;
  uint32_t object = 0;
  uint64_t address = 0;
  uint32_t size =
      0;  // accesses: bytes, saturated; the end of a thread: a robust mutex that it holds; join: 1: only tries
};

struct VectorClock;  // runtime/detector/clock.h
struct RunningOnce;  // runtime/sync/once.cc
struct Calls;        // runtime/control/calls.h
struct LatestSite;   // runtime/parallel/free_steps.cc

constexpr uint32_t kRememberedTerms = 7;
constexpr uint32_t kRememberedReads = 16;

struct Thread : HeddleHot {  // `budget`: hooks left before a forced point; `request`: what a hook has to do
  uint32_t index;
  uint32_t state;  // HeddleThreadState
  // What it waits to do (state PENDING).
  Op op;
  Ready ready;  // null: always
  void* argument;
  uint64_t deadline;        // virtual ns, 0: none
  bool enabled;             // at the last rebuild
  bool may_expire;          // its deadline may come early, by a choice of the schedule (expiry.h)
  bool expires_at_once;     // and before others get a turn: it does not give way
  uint32_t timed_waits;     // so far
  uint32_t early_timeouts;  // among them
  bool waits_inside;        // in a system call that only the program itself can end (io/inside.cc)
  bool takes_handlers;      // it waits where a signal's handler may run in place of its step,
  bool handlers_first;      // ... and was chosen for that
  bool yielding;            // gives way if anyone else can run (yield, sleep, spin budget)
  uint32_t free_yields;     // at which it was not made to give way
  uint32_t unproductive;    // points in a row that changed nothing (spinning)
  uint32_t seen_next;       // of `seen`, to be replaced next
  uint64_t
      seen[kRememberedReads];  // what it read at points since it last changed something: hashes of address and value
  int32_t patience;            // counted hooks left before the thread is watched (hooks/spin.cc)
  // A recording (runtime/parallel/).
  uint32_t safe;  // cross-thread: it executes nothing of the program; it needs the baton to go on, or has to say so
                  // (baton.cc)
  uint32_t hook_place;       // where it is in a hook, as its next step would say, while it may wait there; 0: elsewhere
  uint32_t in_free_step;     // cross-thread: it takes a step without the baton (free_steps.h)
  uint32_t deferred_signal;  // that came in the middle of one
  char deferred_info[128];   // its siginfo_t
  uint32_t wanted;           // cross-thread: threads that wait, without the baton, until it stops at a hook
  uint32_t answers;          // cross-thread: hand-overs without the baton
  uint32_t answers_before;   // what they were when the holder of the baton last asked
  uint64_t owner_word;       // the state of a stripe that is its own in this term
  uint64_t seen_shared;      // it may read shared stripes up to this number
  uint64_t last_step;        // the number of its last step (step_log.h)
  uint64_t step_clock;       // cross-thread: its next step comes after this number
  uint64_t *log_next, *log_end;  // where its next entry goes
  uint32_t log_chunk;            // bytes of its next chunk
  struct alignas(64) {
    uint64_t now, ended_by[kRememberedTerms];
  } terms;                   // cross-thread (terms.h)
  LatestSite* latest_sites;  // [kLatestSites]: where it took steps without the baton
  uint32_t baton_depth, outside_depth;
  uint64_t read_from, read_bytes;  // by the last hook, if that read a range ...
  int32_t read_at;                 // ... the budget there
  bool was_outside;                // before it entered the runtime
  uint8_t* call_out;               // the state of its last call into such code
  bool stops_here;                 // replay of a recording: the end of the budget is a recorded stop
  volatile uint8_t selector;       // of Syscall User Dispatch
  void* heap;
  uint64_t last_event;  // number + 1 of its last point event in the ring
  // A write whose value is read back at the next hook: (event number + 1) in the ring, 0 none.
  uint64_t written_event;
  const volatile void* written_address;
  uint32_t written_size;
  uint64_t written_first;  // it is the last of a group, whose first event this is: number + 1; 0: it is alone

  struct {  // between __heddle_atomic and __heddle_atomic_done
    uint32_t size, kind, order, failure_order;
  } atomic;

  uint32_t children;                                  // created so far
  HeddleThreadInfo* info;                             // in the region
  VectorClock* clock;                                 // detector
  uint32_t epoch;                                     // detector: its own entry of `clock`, packed with index
  uint32_t ignore_reads, ignore_writes, ignore_sync;  // detector: > 0: asked for by annotations of the program
  uint64_t trapped_at;  // the stack pointer of a system call that was trapped; 0: it is in none
  Calls* calls;         // null: it never was in code that tells
  uint32_t in_runtime;  // > 0: WithoutSignals
  uint32_t cancel_requested, cancel_state, cancel_type;
  // It acts on a request: always, but where only one from before its last step counts, the order that a replay knows.
  uint32_t cancel_seen;
  bool finished, detached, joined;
  pthread_t handle;
  void* result;  // of the start routine
  RunningOnce* running_once;
  // Backend's own.
  uint32_t wake_word;    // cross-thread futex
  uint32_t* tid_word;    // cleared by the kernel when its OS thread is gone
  void* context;         // fibers: saved stack pointer
  uint64_t fs_base;      // fibers
  uint32_t native;       // cross-thread: its OS thread has arrived
  bool light;            // fibers: it has no kernel thread of its own (light.h)
  bool unborn;           // and libc's part of its start has not run yet
  bool foreign;          // its kernel thread has the signal mask of a parked fiber: see adopt_kernel_thread()
  bool moving;           // it is being moved to real threads: parks as the baton backend does
  char* parking_stack;   // fibers
  uint64_t parked_mask;  // fibers: of its kernel thread, while that is parked
  void* io;              // io: per-thread state
  void* (*entry)(void*);
  void* entry_argument;
  uint64_t stack_low, stack_high;
  // strategy
  uint64_t priority;   // pct, pos, rff
  uint64_t remaining;  // surw: expected events of it and of descendants that are not there yet
  bool postponed;      // racedirected
  uint32_t name;       // a hash of its name: equal in every run
  // cross-thread: I/O finished (set by the returning thread, collected by the holder)
  uint32_t io_returned;
};

extern constinit thread_local Thread* self __attribute__((tls_model("initial-exec")));
/// This is a child of clone(CLONE_VM) in the memory of its creator, which waits until it is gone; `self` is null
/// meanwhile.
extern constinit thread_local bool lent __attribute__((tls_model("initial-exec")));

/// What inline checks of record clones see of `self`; never null.
extern constinit thread_local HeddleHot* hot __attribute__((tls_model("initial-exec")));
extern HeddleHot nobody;  // every check calls, and the hook finds that `self` is null
inline void set_self(Thread* t) {
  self = t;
  hot = t ? t : &nobody;
}

Thread& thread(uint32_t index);
uint32_t thread_count();

/// Points of the thread are no opportunities for signals meanwhile: their number, or their place, would differ between
/// a recording and its replay. Nor does it take free steps, or ask for the time or random bytes as the program would.
class WithoutSignals {
 public:
  explicit WithoutSignals(Thread& t) : thread_(t) { thread_.in_runtime++; }
  ~WithoutSignals() { thread_.in_runtime--; }
  WithoutSignals(const WithoutSignals&) = delete;

 private:
  Thread& thread_;
};

}  // namespace heddle::rt
