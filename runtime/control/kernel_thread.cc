#include "runtime/control/kernel_thread.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "runtime/arena.h"

namespace heddle::rt {

void make_kernel_thread(void (*entry)(void*), void* argument) {
  constexpr size_t kStack = 64 * 1024;
  uint64_t* top = (uint64_t*)((char*)arena_allocate_cold(kStack) + kStack - 64);
  top[0] = (uint64_t)entry;
  top[1] = (uint64_t)argument;
  long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  long result;
  register long r10 __asm__("r10") = 0;
  register long r8 __asm__("r8") = 0;
  // In the section whose system calls are never trapped. The child finds the entry's address and its argument on its
  // stack.
  __asm__ volatile(
      "jmp heddle_clone_here\n"
      ".pushsection heddle_sys,\"ax\",@progbits\n"
      "heddle_clone_here:\n"
      "syscall\n"
      "test %%rax, %%rax\n"
      "jnz 1f\n"
      "xor %%ebp, %%ebp\n"
      "pop %%rax\n"
      "pop %%rdi\n"
      "and $-16, %%rsp\n"
      "call *%%rax\n"
      "1: jmp heddle_clone_back\n"
      ".popsection\n"
      "heddle_clone_back:\n"
      : "=a"(result)
      : "a"((long)SYS_clone), "D"(flags), "S"(top), "d"(0L), "r"(r10), "r"(r8)
      : "rcx", "r11", "memory");
  HEDDLE_CHECK(result > 0);
}

}  // namespace heddle::rt
