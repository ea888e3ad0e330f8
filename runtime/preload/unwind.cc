// libgcc's unwinder finds tables through _dl_find_object: no lock, no allocation.
#include "runtime/preload/unwind.h"

#include <unwind.h>

#include "runtime/control/thread.h"

namespace heddle::rt {
namespace {

struct Walk {
  uint64_t* frames;
  unsigned limit, count;
  uint64_t first;  // frames before it are our own
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  uint64_t pc = _Unwind_GetIP(context);
  if (!pc || walk.count == walk.limit) return _URC_END_OF_STACK;
  if (walk.count || pc == walk.first) walk.frames[walk.count++] = pc;
  return _URC_NO_REASON;
}

}  // namespace

unsigned walk_unwind_tables(uint64_t* frames, unsigned limit, void* return_address) {
  Walk walk{frames, limit, 0, (uint64_t)return_address};
  Thread* t = self;
  set_self(nullptr);  // its pthread_once is not the program's
  _Unwind_Backtrace(visit, &walk);
  set_self(t);
  if (!walk.count) frames[walk.count++] = walk.first;
  return walk.count;
}

}  // namespace heddle::rt
