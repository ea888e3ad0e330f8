// The clock of recordings, and randomness. Random bytes are an input: recorded, and fed in a replay. A controlled run
// makes them from its seed and its number, so that equal seeds give equal hunts; a recording takes the kernel's. What
// the CPU gives (rdrand, rdtsc) is asked for by hooks, and std::random_device, which runs those instructions inside
// libstdc++, is interposed.

#include <sys/auxv.h>

#include "abi/hooks.h"
#include "runtime/io/descriptors.h"
#include "runtime/io/stream.h"
#include "runtime/control/strategy.h"
#include "runtime/real/next.h"

namespace heddle::rt {
namespace {

bool is_real;  // random_is_real()

// An enumeration varies the schedule only: there the bytes are equal in all runs.
uint64_t next_random() {
  static Random bytes{0};
  const HeddleRun& run = region->run;
  if (!bytes.s)
    bytes.s =
        (run.strategy == HEDDLE_STRATEGY_PREFIX ? run.seed * 0x9e3779b97f4a7c15ull : run_seed(run)) ^ 0x72616e646f6d;
  return bytes.next();
}

long fill(uint64_t to, uint64_t bytes) {
  constexpr uint64_t kMost = 32 << 20;  // what the kernel gives at once
  if (bytes > kMost) bytes = kMost;
  for (uint64_t done = 0; done < bytes;) {
    uint64_t words[32];
    for (uint64_t& word : words) word = next_random();
    const uint64_t part = bytes - done < sizeof words ? bytes - done : sizeof words;
    if (!write_program(to + done, words, part)) return done ? (long)done : -EFAULT;
    done += part;
  }
  return (long)bytes;
}

}  // namespace

bool random_bytes(const Call& c, long* result) {
  constexpr long kKnownFlags = 7;
  if (is_real) return false;
  switch (c.number) {
    case SYS_getrandom:
      if (c.a[2] & ~kKnownFlags) return false;
      *result = fill((uint64_t)c.a[0], (uint64_t)c.a[1]);
      return true;
    case SYS_read: case SYS_pread64:
      if (!is_random_device(c.a[0])) return false;
      *result = fill((uint64_t)c.a[1], (uint64_t)c.a[2]);
      return true;
    default: return false;
  }
}

void random_is_real() { is_real = true; }

void random_start() {
  constexpr size_t kBytes = 16;
  if (is_real) return;
  // libc has taken its canary from there already: what the program itself may read is equal in all runs.
  if (auto* from_kernel = reinterpret_cast<unsigned char*>(getauxval(AT_RANDOM)))
    for (size_t i = 0; i < kBytes; i++) from_kernel[i] = (unsigned char)(i * 37 + 11);
}

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
  if (is_real)
    raw_syscall(SYS_getrandom, &value, sizeof value, 0);
  else
    value = next_random();
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
  return asked_under_control() ? discipline.read_clock() : __builtin_ia32_rdtsc();
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
