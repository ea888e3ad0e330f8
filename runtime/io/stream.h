// Input records (HeddleInput, abi/region.h): written in order of completion (of what is sent: of its start), fed to
// each thread in its own order.
#pragma once
#include "runtime/io/call.h"

namespace heddle::rt {

// HeddleInput::flags
enum : uint32_t {
  kInputLeft =
      1,  // the call left control here; its result is a later record (none: it never returned). Its order counts, too
  kInputReturned = 2,       // result of a call that had left
  kInputChannel = 4,        // data came through a pipe, socket or the like: orders threads
  kInputAgain = 8,          // interrupted and started again: the same call has another record
  kInputFailed = 16,        // IN_MMAP: a memory call that failed; data: its number among the thread's memory calls
  kInputMissing = 32,       // IN_MMAP: contents were not recorded
  kInputChanges = 64,       // the program may notice in later answers that this was done
  kInputMoves = 128,        // later answers of the same descriptor are others: its position moved
  kInputDepends = 256,      // what the program changed before may be seen in this answer
  kInputWaited = 8192,      // the thread waited here, under control; the result is a later record of it (inside.cc)
  kInputTimedOut = 16384,   // and what ended its wait was the time
  kInputRandom = 32768,     // random bytes that the run made itself (random.cc)
  kInputUnderWay = 512,     // the process ended before there was a result: as if the record were not there
  kInputOut = 1024,         // at the end of the data: what the call carried out (outgoing.h)
  kInputExec = 2048,        // the program was replaced by another one here
  kInputShared = 1u << 24,  // IN_MMAP: what lies in the mapping is compared; or this is what lay there (shared_files.h)
  kInputStep = 4096,        // IN_MMAP of a recording: this memory call is a step; result: the address
};
/// Beside these flags: the descriptor (one of 256 classes) that kInputMoves is about.
inline uint32_t input_descriptor(long fd) { return ((uint32_t)fd & 0xff) << 16; }

void stream_start();                   // recording: nothing; replay: index of INPUTS_IN per thread
void stream_attach(Thread& t, ThreadIo& io);

inline constexpr uint32_t kClockStream = HEDDLE_STREAM_CLOCK;  // HeddleInput::thread of io_time_passed()
inline constexpr uint32_t kEndStream = HEDDLE_STREAM_END;      // of what is compared at the end of the process
/// A replay: the next record of kEndStream, null: none is left.
const HeddleInput* stream_at_end();

/// Writes one record. Bytes are appended between begin and commit; a full area drops this and all later records.
class RecordWriter {
 public:
  RecordWriter();
  void append(const void* bytes, size_t count);
  /// Room for up to `count` bytes, to be filled by the caller; null when the area is full.
  char* room(size_t count);
  void added(size_t count) { size_ += count; }
  size_t size() const { return size_; }
  /// The record, for complete(); null when the area is full.
  HeddleInput* commit(const Thread& t, uint16_t kind, uint16_t number, int64_t result, uint32_t flags);
  HeddleInput* commit(uint32_t stream, uint16_t kind, uint16_t number, int64_t result, uint32_t flags);

 private:
  char* base_;
  uint64_t limit_, size_ = 0;
  bool full_;
};

/// Inputs of a recording in a run whose threads go in another order: a record is given out only when the program has
/// changed as much, in the same order, as it had in the recording; else the answer would be one that nobody can get.
bool stream_in_other_order();

/// The next record of `t`, not yet consumed; null at the end. Never more than the area holds.
const HeddleInput* stream_peek(ThreadIo& io);
void stream_consume(Thread& t, ThreadIo& io);
inline const char* data_of(const HeddleInput& r) { return reinterpret_cast<const char*>(&r + 1); }

/// The next record, which must be one of this system call; else the replay has diverged.
const HeddleInput& stream_expect(const Call& c);

/// The recording ended, by another thread, before this one had its answer: it waits for that end here, too.
void await_recorded_end(const Thread& t);

/// The replay asks for something else than was recorded.
[[noreturn]] void input_mismatch(const Thread& t, const char* asked, const HeddleInput* found);

}  // namespace heddle::rt
