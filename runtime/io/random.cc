// The clock of recordings, and randomness: getrandom() is trapped and recorded like any input. What the CPU gives (rdrand, rdtsc) is asked for by hooks, and
// std::random_device, which runs those instructions inside libstdc++, is interposed.

#include "abi/hooks.h"
#include "runtime/io/stream.h"
#include "runtime/sync/next.h"

namespace heddle::rt {

uint64_t io_clock() {
  Inside inside;
  Thread& t = *self;
  ThreadIo& io = io_of(t);
  if (feeding()) {
    const HeddleInput* r = stream_peek(io);
    if (!r || r->kind != HEDDLE_IN_CLOCK) input_mismatch(t, "the clock", r);
    stream_consume(t, io);
    return (uint64_t)r->result;
  }
  uint64_t now = real_elapsed();
  RecordWriter out;
  out.commit(t, HEDDLE_IN_CLOCK, 0, (int64_t)now, 0);
  return now;
}

uint64_t io_random() {
  Inside inside;
  Thread& t = *self;
  ThreadIo& io = io_of(t);
  if (feeding()) {
    const HeddleInput* r = stream_peek(io);
    if (!r || r->kind != HEDDLE_IN_RANDOM) input_mismatch(t, "the CPU's random numbers", r);
    stream_consume(t, io);
    return (uint64_t)r->result;
  }
  uint64_t value = 0;
  raw_syscall(SYS_getrandom, &value, sizeof value, 0);
  RecordWriter out;
  out.commit(t, HEDDLE_IN_RANDOM, 0, (int64_t)value, 0);
  return value;
}

}  // namespace heddle::rt

using namespace heddle::rt;

namespace {
bool asked_under_control() { return controlled() && self && !self->in_runtime && self->state == HEDDLE_T_RUNNING; }
}  // namespace

// A virtual CPU of 1 GHz: a tick is a virtual nanosecond.
HEDDLE_EXPORT uint64_t __heddle_rdtsc(HeddleSite*) {
  return asked_under_control() ? clock_read() : __builtin_ia32_rdtsc();
}

HEDDLE_EXPORT uint64_t __heddle_rdrand(HeddleSite*) {
  if (asked_under_control()) return io_random();
  uint64_t value = 0;
  raw_syscall(SYS_getrandom, &value, sizeof value, 0);
  return value;
}

// std::random_device::_M_getval() and its old name; the state object stays untouched.
HEDDLE_EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void* device) {
  if (asked_under_control()) return (unsigned)io_random();
  return HEDDLE_NEXT(unsigned (*)(void*), "_ZNSt13random_device9_M_getvalEv")(device);
}

HEDDLE_EXPORT unsigned _ZNSt13random_device16_M_getval_pretr1Ev(void* device) {
  if (asked_under_control()) return (unsigned)io_random();
  return HEDDLE_NEXT(unsigned (*)(void*), "_ZNSt13random_device16_M_getval_pretr1Ev")(device);
}
