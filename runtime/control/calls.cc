#include "runtime/control/calls.h"

#include "runtime/arena.h"

namespace heddle::rt {
namespace {

uint64_t slot_of(void* frame) { return (uint64_t)frame + 8; }

// Functions that were left by an exception or longjmp lie below whoever runs now.
void drop_left(Calls& calls, uint64_t slot) {
  while (calls.count && calls.at(0).slot < slot) calls.pop();
}

}  // namespace

void call_entered(Thread& t, void* caller, void* frame) {
  if (!t.calls) t.calls = arena_new<Calls>();
  Calls& calls = *t.calls;
  const uint64_t slot = slot_of(frame);
  drop_left(calls, slot + 1);  // a frame at the same place is of a function that is gone
  calls.ring[calls.top++ % Calls::kKept] = {(uint64_t)caller, slot, *(uint64_t*)frame};
  if (calls.count < Calls::kKept) calls.count++;
}

// The hook may be a tail call: then the function's frame is gone already, and the hook returns to the caller.
void call_left(Thread& t, void* return_address, void* frame) {
  if (!t.calls) return;
  Calls& calls = *t.calls;
  if (calls.count && calls.at(0).caller == (uint64_t)return_address) return calls.pop();
  drop_left(calls, slot_of(frame));
  if (calls.count) calls.pop();
}

}  // namespace heddle::rt
