// Threads of the fiber backend that have no kernel thread of their own until they need one: to block outside, say.
// Making and ending a kernel thread takes longer than most runs of a thread do.
//
// libc's pthread_create() is let do everything but the clone, which is answered here; so libc's thread is complete
// (descriptor, stack, TLS), and its first instructions run on the carrier when it is chosen the first time. So do its
// last ones, which other threads can notice by the addresses that malloc returns, and its exit() ends the fiber.
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

extern bool light_possible;  // in this run, from now on
extern bool light_ids;       // libc knows some thread by an id of ours

/// While there is one, pthread_create() of the holder makes such a thread, if it can: see Thread::light.
class LightCreation {
 public:
  LightCreation(Thread& t, const pthread_attr_t* attributes);
  ~LightCreation();
  LightCreation(const LightCreation&) = delete;
};

/// The carrier is in libc's code for such a thread, before or after our own, or in pthread_create(): its system calls
/// are not the program's.
extern Thread *light_in_libc, *light_being_made;
inline bool light_calls() { return light_in_libc || light_being_made; }
/// Answers such a call. May not return.
long light_call(long number, const long a[6], const void* ucontext);

/// A call of the program that names a thread: one without a kernel thread is the carrier, for the kernel.
void light_rename(long number, long a[6]);

/// Its own code begins.
void light_arrived(Thread& t);

/// It ends: the rest of it is libc's, then `next` goes on (null: nobody can).
void light_end(Thread& t, Thread* next);

/// On a new kernel thread, which is now its own.
void light_becomes_native(Thread& t);
/// Whom libc knows by that id.
Thread* light_by_id(long tid);
/// Of fibers.cc: it has a kernel thread afterwards, parked, as if it had been made with one. By the holder.
void give_kernel_thread(Thread& t);

/// Of fibers.cc: the carrier leaves the stack of a thread that has ended.
[[noreturn]] void carry_on_with(Thread* next);

}  // namespace heddle::rt
