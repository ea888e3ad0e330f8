// What a system call carries out of the program: bytes, names, addresses, numbers. A recording keeps a hash of it
// behind the record of the call, and its replay compares: who writes something else has not done the same.
//
//   record:  what the call wrote (shape.h) | first bytes, for the message | OutgoingTail          flag kInputOut
#pragma once
#include "runtime/io/stream.h"

namespace heddle::rt {

struct OutgoingTail {
  uint64_t data;      // hash of the bytes that left
  uint32_t numbers;   // hash of the rest: descriptors, sizes, offsets, flags, names
  uint32_t
      sizes;  // how many bytes the program wanted to be taken (24 bits, for the message) << 8 | bytes that are kept
};

/// One call. Made before it is executed or fed: the kernel may overwrite offsets.
class Outgoing {
 public:
  static constexpr uint32_t kKept = 24;

  explicit Outgoing(const Call& c);
  /// The call carries something out.
  bool any() const { return letters_ != nullptr; }
  /// With the result: which bytes left. In a replay with the recorded one, before the record is fed.
  void taken(const Call& c, long result);
  /// Last thing in a record of a call with any(); kInputOut is due in its flags.
  void append(RecordWriter& out) const;
  /// A replay: the record says the same, or the run ends here. Old records say nothing, or less.
  void compare(const Call& c, const HeddleInput& r) const;
  /// A guided run, of which no more is asked: the record says from now on what this run did.
  void replace(const HeddleInput& r) const;

 private:
  [[noreturn]] void differs(const Call& c, const OutgoingTail& expected, const char* kept) const;
  const char* letters_;
  OutgoingTail tail_{};
  char kept_[kKept];
};

/// Bytes of `r` that are not the call's own data.
uint32_t outgoing_bytes(const HeddleInput& r);
/// Without the baton, of a record that is kInputUnderWay: its result, and the hash of what was taken.
void complete(HeddleInput& r, int64_t result, const Outgoing& sent);

/// A recording: vmsplice() on the end of a pipe that reads. What it reads is no output.
bool brings_in(const Call& c);
/// The bytes that left, in their order, by what the call returned; visit() says whether to go on.
void each_outgoing(const Call& c, uint64_t result, bool (*visit)(void*, uint64_t address, uint64_t bytes),
                   void* argument);

/// In a recording, with the baton: all that is hashed is the thread's before its step.
void own_outgoing(const Call& c);

}  // namespace heddle::rt
