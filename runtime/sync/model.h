// What the interceptors share.
#pragma once
#include <errno.h>
#include <time.h>

#include "runtime/control/control.h"
#include "runtime/control/discipline.h"
#include "runtime/control/scheduler.h"
#include "runtime/detector/detector.h"
#include "runtime/control/io.h"
#include "runtime/model/object.h"
#include "runtime/parallel/parallel.h"
#include "runtime/real/real.h"

namespace heddle::rt {

/// The calling thread is one of ours and the process is under control: model, do not call libc.
inline bool modelled() { return controlled() && self != nullptr; }

/// The same as the entry of an interceptor: until the end of its scope nobody else is inside the runtime.
class Modelled {
 public:
  Modelled() : on_(modelled()), inside_(on_ ? self : nullptr) {}
  Modelled(const Modelled&) = delete;
  explicit operator bool() const { return on_; }

 private:
  bool on_;
  InsideUnlessGone inside_;
};

/// point(), behind which the runtime looks at memory of the program, or changes it: in a recording that is the thread's
/// then.
inline void point_owning(const Op& op, const void* p, size_t bytes, bool write) {
  discipline.begin_owning(*self, p, bytes, write);
  point(op);
  discipline.end_owning(*self);
}

/// Virtual deadline for an absolute time on `clock`; 0 when `at` is null (no timeout); 1 when it has passed already.
uint64_t deadline_at(clockid_t clock, const timespec* at);
inline bool valid_time(const timespec* at) { return !at || (at->tv_nsec >= 0 && at->tv_nsec < 1000000000); }

inline void acquired(Object& o) {
  if (detector::on) detector::acquire(*self, o);
}
inline void released(Object& o) {
  if (detector::on) detector::release(*self, o);
  if (HEDDLE_UNLIKELY(parallel)) discipline.released(*self);
}

/// The mutex behind pthread_mutex_t, shared by condition variables.
int mutex_acquire(void* mutex, const Op& op, uint64_t deadline);
int mutex_release(void* mutex);
/// For waits on a condition variable: gives the mutex up whatever its depth; returns the depth.
uint32_t mutex_give_up(void* mutex);
bool mutex_is_free(void* mutex);
/// 0, or what a robust mutex has to say: EOWNERDEAD, ENOTRECOVERABLE (then it is not taken).
int mutex_take_back(void* mutex, uint32_t depth);

/// Primitives between processes are modelled as if this process were alone: said loudly.
void note_process_shared();

/// Acts on a pending cancellation if the thread allows it. May not return.
void cancellation_point();
bool cancel_pending(Thread& t);

}  // namespace heddle::rt
