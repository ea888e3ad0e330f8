// What the rest of the runtime asks of the I/O layer. (Contract with the scheduler; implemented in runtime/io/.)
#pragma once
#include "runtime/rt.h"

namespace heddle::rt {

void io_prepare();          // fork server, once: real functions, tables
void io_start();            // child, on the main thread, before main, after scheduler_start()
void io_thread_start();     // on each new OS thread, before it runs user code
void io_rearm();            // at each point: system calls of user code are trapped again
void io_allow_begin();      // nestable: libc may make system calls natively (around real pthread_create, join, dlopen ...)
void io_allow_end();
bool io_available();        // Syscall User Dispatch works here

/// Implemented in runtime/sync/futex.cc; called by the dispatcher for SYS_futex and by the interposed syscall().
long futex_model(long uaddr, long op, long val, long timeout, long uaddr2, long val3, uint32_t site);
/// Implemented in runtime/fail/signals.cc: rt_sigaction by the program. Pointers are to the kernel's struct. -errno style.
long fail_sigaction(int signo, const void* action, void* old, size_t sigset_size);
/// Implemented in runtime/fail/: exit_group seen; bookkeeping only.
void note_exit(int status);
/// Implemented in runtime/control/: an input did not match the recorded one. Never returns.
[[noreturn]] void diverge_input(const char* text);

}  // namespace heddle::rt
