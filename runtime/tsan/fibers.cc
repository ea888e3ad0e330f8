// Contexts that the program switches itself. To control they are the thread that carries them, and that is sound: a
// thread is one sequence of operations, whatever stack it is on. What must be kept apart are the calls each context is
// in; and a context that moves to another thread takes its past along.
#include "runtime/arena.h"
#include "runtime/control/calls.h"
#include "runtime/sync/model.h"
#include "runtime/tsan/tsan.h"

using namespace heddle::rt;

struct heddle::rt::TsanFiber {
  Calls* calls;
  TsanFiber* next_free;
};

namespace {

using Fiber = TsanFiber;
Fiber* free_list;

Fiber* take() {
  Fiber* f = free_list ? free_list : arena_new<Fiber>();
  if (free_list) free_list = f->next_free;
  if (f->calls) f->calls->count = 0;
  return f;
}
Fiber*& here() {
  Fiber*& f = self->tsan.fiber;
  if (!f) f = take();
  return f;
}

}  // namespace

HEDDLE_EXPORT void* __tsan_get_current_fiber() { return modelled() ? here() : nullptr; }
HEDDLE_EXPORT void* __tsan_create_fiber(unsigned) { return modelled() ? take() : nullptr; }
HEDDLE_EXPORT void __tsan_destroy_fiber(void* fiber) {
  if (!modelled() || !fiber) return;
  drop_object(fiber);
  static_cast<Fiber*>(fiber)->next_free = free_list;
  free_list = static_cast<Fiber*>(fiber);
}
HEDDLE_EXPORT void __tsan_switch_to_fiber(void* fiber, unsigned) {
  if (!modelled() || !fiber) return;
  Fiber*& from = here();
  Fiber* to = static_cast<Fiber*>(fiber);
  from->calls = self->calls;
  tsan::happens_before(from);
  self->calls = to->calls;
  tsan::happens_after(to);
  from = to;
}
HEDDLE_EXPORT void __tsan_set_fiber_name(void*, const char*) {}
