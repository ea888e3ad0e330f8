// Threads that wait in the model for something another thread will do, and who wakes them. All of it belongs to the
// holder.
#pragma once
#include "runtime/control/thread.h"
#include "runtime/parallel/parallel.h"

namespace heddle::rt {

/// Gives the baton up for a wait; the thread is safe from here on. Returns what baton_regain() wants.
uint32_t baton_lose(Thread& t);
void baton_regain(Thread& t, uint32_t depth);
/// Instead of it, if nobody waits for the thread: it is back in the program's code, but for what concerns only itself.
bool goes_on_without_baton(Thread& t, uint32_t depth);
inline bool gave_baton_back(const Thread& t) { return parallel && !t.recording.baton_depth; }

/// Like Inside; meanwhile the thread may have given the baton back for good (TakeOff).
class InsideCall {
 public:
  explicit InsideCall(Thread& t) : thread_(t) {
    if (HEDDLE_UNLIKELY(parallel)) baton_take(t);
  }
  ~InsideCall() {
    if (HEDDLE_UNLIKELY(parallel) && !gave_baton_back(thread_)) baton_give(thread_);
  }
  InsideCall(const InsideCall&) = delete;

 private:
  Thread& thread_;
};

/// One thread whose operation can be executed now, if the model changed: who gives the baton back wakes it, and it goes
/// on with the next when it gives the baton back itself.
Thread* next_waiter();
/// In a signal handler on `t` itself: if it waits, it does not go to sleep before it has looked whether it still has
/// to.
void look_again(Thread& t);

}  // namespace heddle::rt
