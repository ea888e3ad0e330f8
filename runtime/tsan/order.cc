// What annotations mean: happens-before by addresses, locks of the program's own making, times of no checking.
#include "runtime/sync/model.h"
#include "runtime/tsan/tsan.h"

namespace heddle::rt::tsan {
namespace {

Object& annotated(const volatile void* address) { return object_at(address, HEDDLE_EV_NONE); }

}  // namespace

void happens_before(const volatile void* address) {
  if (modelled()) released(annotated(address));
}
void happens_after(const volatile void* address) {
  if (modelled()) acquired(annotated(address));
}

void lock_acquired(const volatile void* lock, bool for_writing, uint32_t levels) {
  if (!modelled()) return;
  Object& o = annotated(lock);
  if (for_writing) o.depth += levels;
  if (!detector::on) return;
  detector::acquire(*self, o);
  if (for_writing) detector::acquire2(*self, o);  // of the readers before
}

uint32_t lock_released(const volatile void* lock, bool for_writing, bool all_levels) {
  if (!modelled()) return 0;
  Object& o = annotated(lock);
  if (!for_writing) {
    if (detector::on) detector::release2(*self, o);
    return 0;
  }
  uint32_t levels = all_levels ? o.depth : 1;
  o.depth -= o.depth < levels ? o.depth : levels;
  if (!o.depth) released(o);
  return levels;
}

void lock_destroyed(const volatile void* lock) {
  if (modelled()) drop_object(lock);
}

void ignore_begin() {
  if (!self) return;
  self->detector.ignore_reads++;
  self->detector.ignore_writes++;
  self->detector.ignore_sync++;
}
void ignore_end() {
  if (!self || !self->detector.ignore_sync) return;
  self->detector.ignore_reads--;
  self->detector.ignore_writes--;
  self->detector.ignore_sync--;
}

}  // namespace heddle::rt::tsan
