// Locks inside libc that nobody orders (libc_lock.h lists those that are): short ones, held by nobody who waits for a
// step. In a recording two threads may really meet there; that leaves no trace, since the replay executes one of them
// after the other.
#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "runtime/io/call.h"
#include "runtime/parallel/waiters.h"

namespace heddle::rt {
namespace {

bool waits(const Call& c) {
  const int command = (int)c.a[1] & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
}

long execute_futex(const Call& c) { return raw_syscall(SYS_futex, c.a[0], c.a[1], c.a[2], c.a[3], c.a[4], c.a[5]); }

bool is_libc_code(uint64_t pc) {
  static dl_find_object libc;
  if (!libc.dlfo_map_start && _dl_find_object(reinterpret_cast<void*>(gnu_get_libc_version), &libc) != 0) return false;
  return pc - (uint64_t)libc.dlfo_map_start < (uint64_t)libc.dlfo_map_end - (uint64_t)libc.dlfo_map_start;
}

bool is_in_libc(const Call& c) { return is_libc_code((uint64_t)c.context->uc_mcontext.gregs[REG_RIP]); }

// A replay: its holder is at a step of its own.
long follow(const Call& c) {
  if (!waits(c)) return 0;
  uint32_t now = 0;
  if (!read_program(&now, (uint64_t)c.a[0], sizeof now)) return -EFAULT;
  if (now != (uint32_t)c.a[2]) return -EAGAIN;
  diverge_input("two threads met at a lock inside libc, in another order than in the recording (docs/recording.md)");
}

long wait_without_baton(Call& c) {
  const uint32_t depth = baton_lose(c.thread);
  const long result = execute_futex(c);
  baton_regain(c.thread, depth);
  return result;
}

}  // namespace

bool followed_libc_futex(Call& c, long* result) {
  if (!is_in_libc(c)) return false;
  *result = follow(c);
  return true;
}

bool recorded_libc_futex(Call& c, long* result) {
  if (!is_in_libc(c)) return false;
  *result = waits(c) ? wait_without_baton(c) : execute_futex(c);
  return true;
}

}  // namespace heddle::rt
