// Code without hooks: a library that somebody else compiled. A thread that is in there touches no memory that a
// recording orders, so who wants memory of its need not wait until it comes back, which may be long: a compressor's
// inner loop has no safe point. It may lock and unlock meanwhile: neither its steps nor its term stand still, only its
// accesses do.
//
// The thread says so with two plain stores around the call (abi/hooks.h), and looks whether it was asked when it comes
// back. Who asks makes it execute a barrier where it is, by membarrier(2), and looks then: either it sees the thread
// outside, and the thread will see that it was asked, or the other way round. The price is paid by who asks.
//
// What the library itself does to memory that other threads use at the same time is not ordered (docs/recording.md).
#include <linux/membarrier.h>
#include <sys/syscall.h>

#include "abi/hooks.h"
#include "runtime/control/control.h"
#include "runtime/parallel/owners.h"
#include "runtime/parallel/parallel.h"
#include "runtime/parallel/waiters.h"

namespace heddle::rt {
namespace {

enum : uint8_t { kHasHooks = 1 };  // the state of a call

bool barriers_work;

void all_threads_pass_a_barrier() { raw_syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0); }
bool says_outside(const Thread& u) { return __atomic_load_n(&u.request.outside, __ATOMIC_SEQ_CST); }

void come_in(Thread& t) {
  __atomic_store_n(&t.request.outside, 0, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (HEDDLE_UNLIKELY(__atomic_load_n(&t.request.asked, __ATOMIC_RELAXED))) Inside until_who_asked_has_finished;
}

}  // namespace

bool plain_code_start() {
  return barriers_work = raw_syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) == 0;
}

bool is_held_outside(const Thread& u) {
  if (!says_outside(u)) return false;
  all_threads_pass_a_barrier();
  return says_outside(u);
}

void hook_outside(Thread& t) {
  *t.recording.call_out = kHasHooks;
  come_in(t);
}

}  // namespace heddle::rt

using namespace heddle::rt;

HEDDLE_EXPORT void __heddle_call_out(uint8_t* state) {
  Thread* t = self;
  if (HEDDLE_LIKELY(!parallel) || !t || *state == kHasHooks || !barriers_work) return;
  t->recording.call_out = state;
  place_is_safe(*t);
  __atomic_store_n(&t->request.outside, 1, __ATOMIC_RELEASE);
  if (HEDDLE_UNLIKELY(__atomic_load_n(&t->request.asked, __ATOMIC_RELAXED) == kRequestSleeps))
    futex_wake(&t->recording.safe, 1);
}

HEDDLE_EXPORT void __heddle_call_in(void) {
  Thread* t = self;
  if (HEDDLE_LIKELY(!parallel) || !t || !t->request.outside) return;
  come_in(*t);
}
