// Parts of a thread that belong to one mechanism of control each: `expiry`, `progress`, `events`, `backend` in Thread.
#pragma once
#include <stdint.h>

namespace heddle::rt {

/// A wait with a time-out (expiry.h).
struct ExpiryState {
  uint64_t deadline;        // virtual ns, 0: none
  bool may_expire;          // its deadline may come early, by a choice of the schedule
  bool expires_at_once;     // and before others get a turn: it does not give way
  uint32_t timed_waits;     // so far
  uint32_t early_timeouts;  // among them
};

constexpr uint32_t kRememberedReads = 16;

/// Does it wait for others without saying so (quiet.h, hooks/spin.cc)?
struct ProgressState {
  int32_t patience;       // counted hooks left before the thread is watched
  bool yielding;          // gives way if anyone else can run (yield, sleep, spin budget)
  uint32_t free_yields;   // at which it was not made to give way
  uint32_t unproductive;  // points in a row that changed nothing (spinning)
  uint32_t seen_next;     // of `seen`, to be replaced next
  uint64_t seen[kRememberedReads];  // what it read at points since it last changed something: hashes of address and
                                    // value
};

/// Its latest events in the ring (recording.h).
struct EventState {
  uint64_t last;  // number + 1 of its last point event
  // A write whose value is read back at the next hook: number + 1, 0 none.
  uint64_t written;
  uint64_t written_first;  // it is the last of a group, whose first event this is: number + 1; 0: it is alone
  const volatile void* written_address;
  uint32_t written_size;
};

/// How it is parked and continues (backend.h). The backend's own.
struct BackendState {
  uint32_t wake_word;     // cross-thread futex
  uint32_t io_returned;   // cross-thread: I/O finished (set by the returning thread, collected by the holder)
  uint32_t* tid_word;     // cleared by the kernel when its OS thread is gone
  uint32_t native;        // cross-thread: its OS thread has arrived
  // Fibers.
  bool light;             // it has no kernel thread of its own (light.h)
  bool unborn;            // and libc's part of its start has not run yet
  bool foreign;           // its kernel thread has the signal mask of a parked fiber: see adopt_kernel_thread()
  bool moving;            // it is being moved to real threads: parks as the baton backend does
  void* context;          // saved stack pointer
  uint64_t fs_base;
  char* parking_stack;
  uint64_t parked_mask;   // of its kernel thread, while that is parked
};

}  // namespace heddle::rt
