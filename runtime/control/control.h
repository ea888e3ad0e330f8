// State and constants of control, shared by the scheduler, the failure reports and the backends. Belongs to the baton
// holder.
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

inline constexpr uint64_t kStepTick = 100;            // virtual ns per step
inline constexpr uint64_t kClockReadTick = 1000;      // virtual ns per clock read
inline constexpr uint32_t kSpinLimit = 24;            // unproductive points in a row before a thread must give way
inline constexpr uint64_t kFairSegment = 4000;        // steps in one segment before it must give way once
inline constexpr uint64_t kQuietBeforeJump = 400;     // unproductive steps per enabled thread before time jumps
inline constexpr uint64_t kQuietBeforeFair =
    1000;  // ... per live thread before the schedule is fair until somebody makes progress
inline constexpr uint64_t kQuietIsLivelock =
    200'000;  // ... before it is a livelock: a loop may look at a flag that often
inline constexpr uint64_t kMostBeforeFair = kQuietIsLivelock / 10;
inline constexpr uint64_t kLastLook =
    20'000;  // ... the last of them are watched: a thread that computes makes progress
inline constexpr int32_t kHookBudget = 100'000;       // counted hooks without a point before the thread is watched
inline constexpr int kDivergedStatus = 121, kFailedStatus = 122;

// Private flags in HeddleThreadInfo::flags and events.
inline constexpr uint32_t kPreempted = 1u << 31;
inline constexpr uint8_t kEventPreempted = 64, kEventSwitch = 128;

struct Control {
  alignas(64) Thread* threads;
  uint32_t thread_count;
  alignas(64) uint32_t live;  // threads not finished
  uint32_t out;              // threads in blocking I/O
  uint32_t* enabled;         // ascending indices; room for all threads so far
  uint32_t enabled_capacity;
  uint32_t enabled_count;
  bool dirty;                // `enabled` must be rebuilt
  uint16_t word_waits[16];   // threads that wait for a word to be zero, counted by a hash of its address
  uint16_t other_waits;      // for anything else
  uint32_t inside_waits;     // threads that wait in io/inside.cc
  uint64_t next_deadline;    // of threads that are not enabled; ~0 none
  uint64_t now;              // virtual ns
  uint64_t clock_reads;      // by the program
  uint64_t burnt;            // virtual ns that passed for threads that spin
  uint64_t jump_step;        // before this step time_may_pass() lets time pass; ~0: no clock was read since it last did
  uint64_t steps, max_steps, hash;
  uint64_t stay_until;       // before this step the thread that runs need not ask (unless `dirty`, or a deadline comes)
  bool follows;              // the replay of a recording, or a lifted run: its table has before_choice() and chosen()
  bool always_ask;           // somebody wants to know of each step
  uint32_t observe;          // so many more decisions are told to the host
  uint32_t segment_thread;
  uint64_t segment_start;    // step
  uint64_t quiet_steps;  // unproductive steps in a row, over all threads; starts over when something comes from outside
  uint64_t fair_steps;       // in a row, up to now
  uint64_t looks;  // the same, counted by what the threads do alone: a replay counts alike, whenever its I/O comes back
  const uint32_t* expect;
  uint64_t expect_count;
  Thread* dying;             // left control for good, its OS thread may still be there
  uint32_t returns;          // cross-thread: bumped by every thread that comes back from outside
  uint32_t seen_returns;
};
extern Control control;

inline uint16_t& word_waits(const void* word) {
  return control.word_waits[((uint64_t)word ^ (uint64_t)word >> 7) >> 3 & 15];
}

/// The next hooks of `t` are looked at one by one, counted ones and others (hooks/spin.cc).
inline void watch_hooks(Thread& t) { t.budget = t.progress.patience = 1; }

Thread* choose(Thread* current);
/// Who can run now, and the next deadline.
void rebuild_enabled();
/// Its pending operation can be executed now.
bool can_run(Thread& t);
/// A strict replay took another way: writes what was expected and what came, and ends the run.
[[noreturn]] void diverged(uint32_t reason, uint32_t expected, const Thread* actual);

/// On a thread that was chosen after another one had run: an OS thread at its end gives its cached memory back to
/// malloc and its stack to libc. Nobody may run beside that, or addresses depend on who is faster.
void await_dying();
inline void await_dying_if_any() {
  if (HEDDLE_UNLIKELY(control.dying)) await_dying();
}

/// cond_wait, join, sleep ...: a requested cancellation may end the wait (runtime/sync/cancel.cc).
bool cancel_wakes(Thread& t);
/// Between two instructions of the program: acts on a request if the thread's type allows it anywhere. May not return.
void asynchronous_cancellation(Thread& t);

}  // namespace heddle::rt

/// The caller's registers, so that the host can unwind this thread while it is parked in a deeper frame.
#define HEDDLE_CAPTURE_REGS(info)                                                                                  \
  do {                                                                                                             \
    HeddleRegs& r_ = (info).regs;                                                                                  \
    __asm__ volatile(                                                                                              \
        "lea 0(%%rip), %%rax\n movq %%rax, 0(%0)\n movq %%rsp, 8(%0)\n movq %%rbp, 16(%0)\n movq %%rbx, 24(%0)\n"   \
        "movq %%r12, 32(%0)\n movq %%r13, 40(%0)\n movq %%r14, 48(%0)\n movq %%r15, 56(%0)\n"                       \
        :                                                                                                          \
        : "r"(&r_)                                                                                                 \
        : "rax", "memory");                                                                                        \
    (info).flags |= HEDDLE_TF_HAS_REGS;                                                                            \
  } while (0)
