#include "runtime/sync/model.h"

namespace heddle::rt {

namespace {
constexpr uint64_t kMonotonicBase = 1000ull * 1000000000ull;  // runtime/io/time.cc answers clocks with the same base
}

uint64_t deadline_at(clockid_t clock, const timespec* at) {
  if (!at) return 0;
  uint64_t base = clock == CLOCK_REALTIME ? region->run.time_base_ns : kMonotonicBase;
  if (at->tv_sec < 0) return 1;
  unsigned __int128 wide = (unsigned __int128)at->tv_sec * 1000000000u + (uint64_t)at->tv_nsec;
  if (wide > (1ull << 62)) return 1ull << 62;
  uint64_t ns = (uint64_t)wide;
  return ns <= base ? 1 : ns - base + 1;
}

}  // namespace heddle::rt
