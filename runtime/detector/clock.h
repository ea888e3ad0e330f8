// Vector clocks: for each thread the last of its epochs that is known to have happened before.
#pragma once
#include "runtime/detector/epoch.h"

namespace heddle::rt {
namespace detector {

/// Grows with the highest thread index it knows; a zeroed Clock is empty and owns nothing. Not copyable by accident:
/// assign().
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  bool empty() const { return size_ == 0 || generation_ != generation; }
  Epoch get(uint32_t thread) const {
    return HEDDLE_LIKELY(thread < size_ && generation_ == generation) ? at_[thread] : kEmpty;
  }
  void set(uint32_t thread, Epoch e);
  void join(const Clock& other);
  void assign(const Clock& other);
  void clear() { size_ = 0; }
  /// Gives the memory back.
  void release();

 private:
  void resize(uint32_t size);  // zeroes what is new

  Epoch* at_ = nullptr;
  uint32_t size_ = 0, capacity_ = 0;
  uint32_t generation_ = 0;
};

}  // namespace detector

/// The clocks of one thread (Thread::clock).
struct VectorClock {
  detector::Clock current;
  detector::Clock fenced;      // what the last release fence published: goes out with relaxed stores after it
  detector::Clock unacquired;  // what relaxed loads saw: comes in at the next acquire fence
};

/// The clock of a synchronisation object (Object::clock, clock2).
struct SyncClock {
  detector::Clock clock;
};

namespace detector {

/// Did the interval `e` end before this moment of `t`? (Or is it t's own.)
inline bool ordered(Epoch e, const Thread& t) {
  uint32_t owner = thread_of(e);
  return owner == t.index || t.detector.clock->current.get(owner) >= e;
}

/// Gives `t` its clocks if it has none yet.
void attach(Thread& t);

void release_into(Thread& t, Clock& c);        // c joins t, t's interval ends
void acquire_from(Thread& t, const Clock& c);  // t joins c

}  // namespace detector
}  // namespace heddle::rt
