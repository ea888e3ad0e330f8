// The program's buffers of a system call, in a recording: threads run beside the kernel, so what it writes must come at
// a step.
//
//   [ready]  own_buffers()  step  execute, straight into the buffer: nobody can take it before the baton is given back
//            what only goes out is copied first, and executed without the baton
//   [else]   leave, the kernel writes into memory of ours, the buffer is taken over, step, copied
#pragma once
#include <sys/socket.h>
#include <sys/uio.h>

#include "runtime/io/call.h"

namespace heddle::rt {

/// With the baton, before the call's own step: all that it may write (or, writing to a file, read) is the thread's.
void own_buffers(const Call& c);

/// Memory of ours, as long as a call of the thread needs it: 1 MiB.
char* landing_of(Thread& t);

/// One blocking call. Made before leave(), it changes the arguments in `c` until it is gone.
class LandingPlace {
 public:
  explicit LandingPlace(Call& c);
  ~LandingPlace();
  LandingPlace(const LandingPlace&) = delete;

  /// enter(), and the bytes are where the program wants them. The result that it gets.
  long return_with(long result, const Op& op);

  // Discipline::land().
  static void just_enter(LandingPlace& place, uint64_t bytes, const Op& op);
  static void own_and_enter(LandingPlace& place, uint64_t bytes, const Op& op);

 private:
  template <class Visit>
  bool each_part(uint64_t bytes, Visit visit) const;
  bool copy_out(long result);

  Call& call_;
  long saved_[6];
  char* memory_ = nullptr;  // null: the kernel writes where the program said
  uint64_t capacity_ = 0;
  iovec one_{};
  msghdr header_{};
};

/// One call that writes, in a recording, behind its step: executed without the baton, since it may wake somebody to
/// whom the processor goes at once. The kernel reads a copy, so others can take the buffer over meanwhile.
class TakeOff {
 public:
  explicit TakeOff(Call& c);
  ~TakeOff() { __builtin_memcpy(call_.a, saved_, sizeof saved_); }
  TakeOff(const TakeOff&) = delete;

  bool has_copy() const { return memory_ != nullptr; }
  /// Afterwards the thread has the baton only if there is something to do with it: a signal, an error, somebody who
  /// waits for the thread.
  long execute();

 private:
  bool gather(uint64_t iov, uint64_t count);

  Call& call_;
  long saved_[6];
  char* memory_ = nullptr;  // null: too much, or not to be read
  iovec one_{};
  msghdr header_{};
};

/// With the baton: some thread's call may be in the kernel.
bool sends_under_way();

}  // namespace heddle::rt
