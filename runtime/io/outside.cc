// Calls of libc that wait for another process: executed outside control, their results are inputs.
//
// Rules of this file: a replay passes the points of its recording and executes nothing.
#include "runtime/detector/detector.h"
#include "runtime/io/stream.h"
#include "runtime/sync/process_shared.h"

namespace heddle::rt {
namespace {

bool never(void*) { return false; }

int fed_result(Call& c) {
  ThreadIo& io = io_of(c.thread);
  point(op_of(c, HEDDLE_EV_IO_LEAVE));
  if (!stream_peek(io)) {
    point(op_of(c, HEDDLE_EV_IO_RETURN), never);  // it was still out when the recording ended
    input_mismatch(c.thread, c.policy.name, nullptr);
  }
  point(op_of(c, HEDDLE_EV_IO_RETURN));
  int result = (int)stream_expect(c).result;
  stream_consume(c.thread, io);
  return result;
}

int recorded_result(Call& c, int (*call)(void*), void* argument) {
  leave(op_of(c, HEDDLE_EV_IO_LEAVE));
  int result = call(argument);
  enter(op_of(c, HEDDLE_EV_IO_RETURN));
  RecordWriter out;
  out.commit(c.thread, HEDDLE_IN_SYSCALL, (uint16_t)c.number, result, kInputReturned | kInputDepends | kInputChanges);
  return result;
}

}  // namespace

int outside_call(uint32_t site, int (*call)(void*), void* argument) {
  Thread& t = *self;
  Call c{SYS_futex, {}, nullptr, site, t, policy_of(SYS_futex)};
  if (detector::on) detector::io_release(t);
  int result;
  {
    const WithoutSignals here(t);
    result = feeding() ? fed_result(c) : recorded_result(c, call, argument);
  }
  if (detector::on) detector::io_acquire(t);
  productive();
  return result;
}

}  // namespace heddle::rt
