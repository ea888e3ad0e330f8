// sigaltstack: ours serves the reports of faults as long as the program has none of its own, and is not shown to the
// program.
//
// Rules of this file: the return from a trap restores the alternate stack of its frame, so a change has to be made
// there too. Fibers share one kernel thread: whoever runs brings its own (io_use_altstack, after a switch).
#include "runtime/arena.h"
#include "runtime/control/backend.h"
#include "runtime/io/call.h"

namespace heddle::rt {

bool io_altstacks;

namespace {

stack_t ours;     // of the kernel thread that the first caller ran on
void* installed;  // fibers: ss_sp of the carrier

bool has_own(const ThreadIo& io) { return !(io.altstack.ss_flags & SS_DISABLE) && io.altstack.ss_size; }

bool on_own(const ThreadIo& io, const Call& c) {
  uint64_t low = (uint64_t)io.altstack.ss_sp, sp = (uint64_t)c.context->uc_mcontext.gregs[REG_RSP];
  return has_own(io) && sp > low && sp <= low + io.altstack.ss_size;
}

long change(const Call& c, ThreadIo& io, const stack_t& wanted) {
  if (on_own(io, c)) return -EPERM;
  const stack_t& real = wanted.ss_flags & SS_DISABLE ? ours : wanted;
  long result = raw_syscall(SYS_sigaltstack, &real, 0);
  if (failed(result)) return result;
  c.context->uc_stack = real;
  io.altstack = wanted;
  installed = real.ss_sp;
  io_altstacks = true;
  return 0;
}

}  // namespace

long call_altstack(Call& c) {
  ThreadIo& io = io_of(c.thread);
  stack_t wanted{}, old = io.altstack;
  if (!has_own(io)) old.ss_flags = SS_DISABLE;
  if (on_own(io, c)) old.ss_flags |= SS_ONSTACK;
  if (!io_altstacks) ours = c.context->uc_stack;
  if (c.a[0] && !read_program(&wanted, c.a[0], sizeof wanted)) return -EFAULT;
  long result = c.a[0] ? change(c, io, wanted) : 0;
  if (!failed(result) && c.a[1] && !write_program(c.a[1], &old, sizeof old)) return -EFAULT;
  return result;
}

void io_own_altstack(Thread& t) {
  constexpr size_t kSize = 16 * 1024;
  const ThreadIo& io = io_of(t);
  stack_t mine = io.altstack;
  if (!has_own(io)) mine = {arena_allocate_cold(kSize), 0, kSize};
  raw_syscall(SYS_sigaltstack, &mine, 0);
}

void io_use_altstack() {
  if (!on_fibers()) return;
  const ThreadIo& io = io_of(*self);
  const stack_t& mine = has_own(io) ? io.altstack : ours;
  if (mine.ss_sp == installed) return;
  raw_syscall(SYS_sigaltstack, &mine, 0);
  installed = mine.ss_sp;
}

}  // namespace heddle::rt
