// A kernel thread of our own: no TLS, no libc, a stack from the arena. `entry(argument)` never returns.
#pragma once
namespace heddle::rt {
void make_kernel_thread(void (*entry)(void*), void* argument);
}
