// Between the hooks: the slow side of an access.
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

extern uint32_t every_access_slow;

// Counted hooks: those that light clones have too (abi/light.h). What they decide is the same in both.

/// spin.cc. The patience is spent at `site`: true: the thread is being watched and goes on without a point.
bool spin_continues(Thread& t, const HeddleSite* site, uint32_t outcome, const volatile void* address);
/// After the point of a spent patience: gives the thread a new one. Ends the run if nobody can ever do anything else.
void spin_resumed(Thread& t);
/// A hook that is not counted, while the thread is watched: it decides nothing but whether a livelock is proved. False:
/// it is not watched.
bool spin_saw(Thread& t, const HeddleSite* site);

// What hooks do under control, as the table has it (control/discipline.h).
/// So many hooks that are not counted have passed.
void controlled_budget_spent(Thread& t, const HeddleSite* site);
/// So many counted hooks without a point.
void controlled_patience_spent(Thread& t, const HeddleSite* site, uint32_t outcome, const volatile void* address);
void controlled_branch_told(Thread& t, uint32_t outcome, HeddleSite* site);
__attribute__((noinline)) void controlled_atomic(Thread& t, const volatile void* p, uint32_t size, uint32_t kind,
                                                 HeddleSite* site);
void controlled_fence(Thread& t, uint32_t order, HeddleSite* site);
void controlled_read_string(const volatile void* p, size_t bytes, size_t limit, uint32_t stops, HeddleSite* site);
void controlled_read_prefix(const volatile void* p, size_t bytes, const volatile void* other, size_t limit,
                            uint32_t folded, HeddleSite* site);

// In a recording: another thread may make the string longer until it is the thread's.
void recorded_read_string(const volatile void* p, size_t bytes, size_t limit, uint32_t stops, HeddleSite* site);
void recorded_read_prefix(const volatile void* p, size_t bytes, const volatile void* other, size_t limit,
                          uint32_t folded, HeddleSite* site);

/// A branch that is more than a hook: its event, then branch_told().
void branch_slow(Thread& t, uint32_t outcome, HeddleSite* site);
/// An event for an access that is no point.
void record_access(Thread& t, const volatile void* p, uint32_t size, uint32_t kind, HeddleSite* site, uint64_t length);

/// An access that is a point, or whose detail is wanted; `frame` and `caller` are those of the hook that the program
/// called.
void access_slow(Thread& t, const volatile void* p, uint32_t size, uint32_t kind, HeddleSite* site, uint64_t length,
                 void* frame, void* caller, bool is_point = false);

/// A hook of the runtime's own, in recordings and their replays: a function of libc reads there after steps of its own.
void read_again(const void* p, size_t n);
void write_again(void* p, size_t n);
void read_string_again(const char* string, size_t limit);

/// point() for a hook whose stack is already captured in info->pending_stack.
void point_here(Thread& t, const Op& op);

}  // namespace heddle::rt
