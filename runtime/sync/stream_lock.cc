// flockfile and friends: libc's own lock is used (what blocks in it is modelled as a futex), but what happens under it
// is ordered: getc_unlocked and putc_unlocked are inline code of the program.
#include <stdio.h>

#include "runtime/sync/libc_lock.h"

using namespace heddle::rt;

// The object is made with the detector off too: it only observes. Where libc's locks are modelled, another object is
// there.
void heddle::rt::observe_stream_taken(FILE* stream) { acquired(object_at(stream, HEDDLE_EV_NONE)); }
void heddle::rt::observe_stream_given(FILE* stream) { released(object_at(stream, HEDDLE_EV_NONE)); }

HEDDLE_EXPORT void flockfile(FILE* stream) noexcept {
  if (modelled()) discipline.lock_libc(stream, __builtin_return_address(0));
  HEDDLE_REAL(flockfile)(stream);
  if (modelled()) discipline.stream_taken(stream);
}
HEDDLE_EXPORT int ftrylockfile(FILE* stream) noexcept {
  if (modelled() && !discipline.try_lock_libc(stream, __builtin_return_address(0))) return 1;
  int busy = HEDDLE_REAL(ftrylockfile)(stream);
  if (!busy && modelled()) discipline.stream_taken(stream);
  return busy;
}
HEDDLE_EXPORT void funlockfile(FILE* stream) noexcept {
  if (modelled()) discipline.stream_given(stream);
  HEDDLE_REAL(funlockfile)(stream);
  if (modelled()) discipline.unlock_libc(stream);
}
