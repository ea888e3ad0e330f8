// How a run ends badly: the record in the region, the pause for the host's inspection, the end.
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

void fail_prepare();  // fork server
bool sanitized();     // the program is built with one of LLVM's sanitizers
void fail_start();    // child, main thread: handlers for fatal signals, terminate handler
void fail_thread_start();  // each OS thread: alternate signal stack
void install_fatal_handlers();  // fork server, last thing before the first run

/// Nobody can run any more. With a thread that is not under control, and may wake others, that is known of a closed
/// cycle of waits only: otherwise the run is cut off (abi/cut_off.h).
[[noreturn]] void fail_deadlock();
/// Nobody makes progress, or the step bound was reached: a run in which threads still change something there is cut
/// off.
[[noreturn]] void fail_livelock(Thread& t);
extern bool threads_run_uncontrolled;
/// The detector saw a race: the end of the run if it was asked for (fail_on_race), otherwise nothing.
void fail_race(const HeddleRace& race);

/// The thread waits, directly or through other waiting threads, for itself: no schedule can free it.
bool in_lock_cycle(Thread& t);

/// Fills failure.kind last; returns false if the run already has a failure.
bool begin_failure(Thread* t);
void commit_failure(HeddleFailureKind kind);
/// Publishes everything; waits for the host if the run asks for inspection.
void await_inspection();
/// What libc printed before it called abort() by itself (a damaged heap, a smashed stack); null: nothing.
const char* libc_abort_message();
void copy_text(char* to, size_t size, const char* from);

/// The program's handler of a fatal signal, where hooks are counted: ours stands in front of it.
void count_hooks_of_handler(void** handler, uint64_t* flags);

void note_exit(int status);
/// The process is about to end: between the last handler of exit() and that the other threads may still run. Nothing in
/// a signal handler on a stack of its own, nor in a child of vfork().
void exit_point(uint32_t site);

struct Verdict {             // what is known before the fatal signal arrives
  HeddleFailureKind kind;    // ASSERTION, EXCEPTION, CHECK; NONE
};
extern Verdict verdict;

}  // namespace heddle::rt
