// flockfile and friends: libc's own lock is used (what blocks in it is modelled as a futex), but what happens under it is ordered:
// getc_unlocked and putc_unlocked are inline code of the program.
#include <stdio.h>

#include "runtime/sync/libc_lock.h"

using namespace heddle::rt;

namespace {
// Made with the detector off too: it only observes. A recording has another object there, and no detector.
bool has_object() { return !by_hooks && modelled(); }
Object& lock_of(FILE* stream) { return object_at(stream, HEDDLE_EV_NONE); }
}  // namespace

HEDDLE_EXPORT void flockfile(FILE* stream) noexcept {
  if (HEDDLE_UNLIKELY(by_hooks) && modelled()) {
    Inside inside;
    libc_lock(*self, stream, pc_site(__builtin_return_address(0)));
  }
  HEDDLE_REAL(flockfile)(stream);
  if (has_object()) acquired(lock_of(stream));
}
HEDDLE_EXPORT int ftrylockfile(FILE* stream) noexcept {
  if (HEDDLE_UNLIKELY(by_hooks) && modelled()) {  // whether it is free is a question to the model
    Inside inside;
    const Object* o = find_object(stream);
    if (o && o->owner && o->owner != self->index + 1) return 1;
    libc_lock(*self, stream, pc_site(__builtin_return_address(0)));
  }
  int busy = HEDDLE_REAL(ftrylockfile)(stream);
  if (!busy && has_object()) acquired(lock_of(stream));
  return busy;
}
HEDDLE_EXPORT void funlockfile(FILE* stream) noexcept {
  if (has_object()) released(lock_of(stream));
  HEDDLE_REAL(funlockfile)(stream);
  if (HEDDLE_UNLIKELY(by_hooks) && modelled()) libc_unlock(*self, stream);
}
