// Lock operations of a recording that need no baton: the mutex is a plain one, nobody waits for it, nobody asked the
// thread for anything. Its state is then one word (Object::free_word), and the step gets its number while that word is
// `busy`, greater than that of the step before it on this mutex (Object::last_step): the numbers of the operations on
// one mutex are in the order of the operations, which is all a replay needs.
//
// So is the answer of a thread that is asked for memory at a hook (owners.cc).
//
// Everything else about a mutex happens with the baton, which makes the word kModelDecides first: from there on the
// model's fields are true, until the mutex is released with nobody waiting.
#pragma once
#include "runtime/model/object.h"

namespace heddle::rt {

void free_steps_start(bool barriers_work);

/// True: done, and the step is logged. Else nothing has happened.
bool lock_freely(const void* mutex, uint32_t kind, void* caller);
bool unlock_freely(const void* mutex, void* caller);

/// At a hook, `hooks` hooks after its last step: from here on it has memory that others had; what it claimed before is
/// what it touches.
bool take_freely(Thread& t, uint32_t hooks);
/// The same where it was asked for memory. True: it may go on.
bool answer_freely(Thread& t, uint32_t hooks);

extern bool free_steps_possible;  // in this run

/// With the baton: what the first two may need next time. `site` is that of `caller`.
void remember_site(void* caller, uint32_t site);
inline void learn_site(void* caller, uint32_t site) {
  if (HEDDLE_UNLIKELY(free_steps_possible)) remember_site(caller, site);
}

/// With the baton, before anything looks at the model of a mutex.
void await_model(Object& o);
inline void let_model_decide(Object& o) {
  if (HEDDLE_UNLIKELY(__atomic_load_n(&o.free_word, __ATOMIC_ACQUIRE) != kModelDecides)) await_model(o);
}
/// With the baton: it was just released.
void free_if_plain(Object& o);
inline void may_be_taken_freely(Object& o) {
  if (HEDDLE_UNLIKELY(free_steps_possible)) free_if_plain(o);
}
/// Every mutex's model is true: in a forked child, or when free steps are over.
void let_model_decide_all();

/// With the baton: nobody takes a free step while this exists. The steps of the holder meanwhile come after all steps
/// before it, and those of others later come after it.
class NoFreeSteps {
 public:
  NoFreeSteps();
  ~NoFreeSteps();
  NoFreeSteps(const NoFreeSteps&) = delete;
};
/// In the handler of a signal: it came in the middle of a free step, and comes again when that has ended.
bool free_step_defers(int signo, const void* info, void* context);
/// With the baton: the same from here on.
void forbid_free_steps();
/// The process ends: so does the model decide everything.
void end_free_steps();

}  // namespace heddle::rt
