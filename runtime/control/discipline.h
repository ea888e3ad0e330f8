// How the threads of a run take turns: its discipline. A run has one of four, chosen once, before its first thread
// (start/disciplines.cc):
//
//   controlled  one thread runs at a time; the strategy chooses which
//   recording   all threads run at once; inside the runtime, one at a time (runtime/parallel/)
//   followed    the replay of a recording: controlled, by the places where the recording's threads stopped
//   lifted      a recording as a schedule of points: controlled, with a recording's clones, inputs and model of libc
//
// All that they do differently is in this table. The rest of the runtime calls it and does not ask which discipline
// it is; scripts/check-tree counts the exceptions, which are hot paths of hooks. Members that are null are not
// reached.
//
// "nothing", "no" and "yes" below are what a controlled run does.
#pragma once
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

#include "runtime/control/scheduler.h"

namespace heddle::rt {

struct Call;          // runtime/io/call.h
class LandingPlace;   // runtime/io/buffers.h

struct Discipline {
  // The run, and its threads.
  void (*start)();                   // before the first thread; nothing
  void (*first_thread)(Thread& t);   // it runs, and nothing of the program before it; nothing
  void (*run_starts)(Thread& main);  // last, the detail is known; nothing
  void (*thread_made)(Thread& t);    // on its creator
  void (*thread_runs)(Thread& t);    // on itself, before anything else; nothing
  void (*os_thread_made)(Thread& t, pthread_t handle, uint64_t stack_size);  // on its creator
  void (*await_ended)();             // their stacks go to the next thread; nothing
  void (*finish)(Thread& t);         // thread_finished()
  void (*stay_inside)();             // the calling thread never returns to the program; nothing
  void (*fork)();                    // in the child, which nobody controls; nothing

  // Turns.
  Wake (*turn)(Thread& t, const Op& op, Ready ready, void* argument, uint64_t deadline, bool yielding);
  void (*leave)(Thread& t);
  void (*enter)(Thread& t, const Op& op);
  void (*before_choice)();           // if control.follows, since it is hot
  void (*chosen)(Thread& t);         // the same; it is about to execute its step
  void (*watch)(Thread& t);          // a livelock may be near: the hooks of `t` are looked at
  void (*word_taken)(const void* word);  // the word of a word_is_zero() is not zero any more ...
  void (*word_freed)(const void* word);  // ... and is zero again
  void (*released)(Thread& t);       // others may have what it did so far; nothing
  void (*yielded)();                 // without the baton; nothing

  // Time.
  uint64_t (*now)();                 // virtual ns since the start
  uint64_t (*read_clock)();
  uint64_t (*cpu_time)();
  bool (*may_expire_early)(Thread& t);
  bool (*waits_were_real)();         // for how long others could run meanwhile is not known; no
  uint64_t step_tick;                // what a step adds to the time in which a deadline passes
  uint32_t compared_object;          // mask: objects have the same numbers in a replay

  // Hooks of the program's code.
  uint32_t record_clones;            // HEDDLE_ACTIVE_RECORD where they are used
  HeddleSite* (*code_site)(void* return_address, uint32_t kind, uint32_t size, uint32_t flags);
  void (*budget_spent)(Thread& t, const HeddleSite* site);
  void (*patience_spent)(Thread& t, const HeddleSite* site, uint32_t outcome, const volatile void* address);
  bool (*count_hook)(Thread& t);     // one of the runtime's own; true: what it touches has to be made the thread's. No
  void (*branch)(Thread& t, uint32_t outcome, HeddleSite* site);
  void (*branch_told)(Thread& t, uint32_t outcome, HeddleSite* site);  // the same behind its event
  void (*atomic)(Thread& t, const volatile void* p, uint32_t size, uint32_t kind, HeddleSite* site);
  void (*fence)(Thread& t, uint32_t order, HeddleSite* site);
  void (*read_string)(const volatile void* p, size_t bytes, size_t limit, uint32_t stops, HeddleSite* site);
  void (*read_prefix)(const volatile void* p, size_t bytes, const volatile void* other, size_t limit, uint32_t folded,
                      HeddleSite* site);

  // Memory of the program that the runtime reads or writes for it.
  void (*own)(Thread& t, uint64_t address, uint64_t bytes, bool write);  // before the step; nothing
  /// The same, and no handler runs until end_owning(); nothing.
  void (*begin_owning)(Thread& t, const void* p, size_t bytes, bool write);
  void (*end_owning)(Thread& t);
  bool (*others_run)();              // beside the caller; no

  // Locks, and libc (runtime/sync/). What libc does inside is modelled, or passed on.
  int (*mutex_lock)(pthread_mutex_t* m);
  int (*mutex_trylock)(pthread_mutex_t* m);
  int (*mutex_unlock)(pthread_mutex_t* m);
  bool (*lock_libc)(void* object, void* caller);      // true: unlock_libc() follows. No
  bool (*try_lock_libc)(void* object, void* caller);  // false: somebody has it. Yes
  void (*unlock_libc)(void* object);                  // nothing
  void (*stream_taken)(FILE* stream);
  void (*stream_given)(FILE* stream);
  bool (*duplicate)(const char* string, size_t limit, char** copy);      // done. No
  char* (*snapshot)(const void* p, size_t bytes);                       // to be freed. Null
  bool (*print)(int fd, const char* format, va_list a, int* result);    // done. No
  void* (*lock_for_path)(const char* path);                             // the lock of a call that opens it; null
  void (*flush)(FILE* stream);                                          // what is left is written; nothing
  void (*wake_natively)(long address, long op, long count, long timeout, long address2, long mask);  // nothing

  // The heap (runtime/sync/heap.cc).
  bool (*allocate)(size_t bytes, size_t alignment, bool zeroed, void* caller, void** result);  // done. No
  void (*take_back)(void* p, void* caller);  // allocate()'s is about to be freed
  void (*freed)(void* p, void* caller);      // libc's was freed

  // Inputs (runtime/io/).
  void (*choose_inputs)();             // what is virtual; everything
  bool (*cancelled_outside)(Thread& t);  // it was requested before the step behind which the thread leaves; no
  void (*step_of_call)(const Call& c, bool cancels, bool masked);  // passed, before the call
  void (*shared_write)(const Call& c); // it may write to a shared mapping of a file; nothing
  void (*own_buffers)(const Call& c);  // before the step of a call that can be seen; nothing
  bool (*goes_out_beside_others)(const Call& c);  // no
  void (*land)(LandingPlace& place, uint64_t bytes, const Op& op);  // enter() with what arrived
  bool (*libc_futex)(Call& c, long* result);      // it is libc's own, and answered. No
  void (*before_feeding)(const Call& c);          // nothing
  void (*await_recorded_end)(const Thread& t);    // it has no more inputs, others have; nothing
  bool (*has_room)(uint64_t bytes);               // for inputs; yes
  bool (*has_room_for_thread)();                  // for what is kept of one more; yes
  void (*step_of_exec)(const Call& c);            // nothing
  bool (*goes_on_behind_exec)();                  // a replay whose trace is older than records of exec
  bool (*wrote_hashes)();                         // an old record of a write has a hash of what was written; no
  bool (*repeats)();                              // equal seeds give equal runs: what spoils that is worth a note. Yes
  int (*kill)(pthread_t handle, int signo, int (*real)(pthread_t, int), void* caller);

  // Signals and the end of the process (runtime/io/, runtime/fail/).
  bool (*signal_is_input)(bool external);
  void (*take_from_kernel)(uint64_t set);         // a signal that the replay had; nothing
  bool (*own_signals_are_fed)();                  // a signal that the program sends to itself is in the recording; no
  bool (*signal_was_recorded)(const Thread& t);   // one came in this step of the wait; no
  void (*signal_came)(Thread& t);                 // in its handler; nothing
  void (*await_kernel_thread)(const Thread& t);   // until it has told its id; nothing
  bool (*defers_signal)(int signo, const void* info, void* context);  // it comes again; no
  void (*fault_handler)(void** handler, uint64_t* flags);  // the program's own, about to be installed; nothing
  void (*process_fails)(HeddleFailureKind kind);  // nothing
  void (*process_exits)();                        // nothing
};
extern Discipline discipline;

/// By the parameters of the run.
const Discipline& discipline_of(const HeddleRun& run);

/// This run is a recording. Only for what is too hot for the table.
extern bool parallel;
/// It is a recording or the replay of one, and no lifted run: hooks count as places (parallel/owners.h). As `parallel`.
extern bool by_places;

}  // namespace heddle::rt
