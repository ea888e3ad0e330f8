#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {
void threads_prepare();    // fork server
void heap_prepare();       // fork server: learns of a sanitizer's allocator
void threads_start();      // child, main thread
void end_this_thread();    // its last act under control
/// By the creator, where it holds the baton until the thread starts; in a recording by the thread itself, which may
/// have ended by then.
void set_os_thread(Thread& t, pthread_t handle, uint64_t stack_size);
void set_own_os_thread(Thread& t);
}  // namespace heddle::rt
