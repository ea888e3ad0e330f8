// Time. Under control every clock is virtual and every sleep is a wait for a virtual deadline. The names are interposed
// because the vDSO answers them without a system call; callers inside libc come through the patched vDSO (vdso.cc) and
// the trap.
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "runtime/control/control.h"
#include "runtime/io/call.h"
#include "runtime/io/vdso.h"

namespace heddle::rt {
namespace {

constexpr uint64_t kSecond = 1000000000u;
constexpr uint64_t kMonotonicStart = 1000 * kSecond;

bool never(void*) { return false; }

}  // namespace

bool clock_offset(clockid_t clock, uint64_t* offset) {
  switch (clock) {
    case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: case CLOCK_REALTIME_ALARM: case CLOCK_TAI:
      *offset = region->run.time_base_ns;
      return true;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
      *offset = kMonotonicStart;
      return true;
    case CLOCK_PROCESS_CPUTIME_ID: case CLOCK_THREAD_CPUTIME_ID:
      *offset = 0;
      return true;
    default:
      *offset = 0;
      return clock < 0;  // CPU clocks of processes and threads
  }
}

bool is_cpu_clock(clockid_t clock) {
  return clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

namespace {

timespec to_timespec(uint64_t ns) { return {(time_t)(ns / kSecond), (long)(ns % kSecond)}; }

bool valid(const timespec& t) { return t.tv_sec >= 0 && t.tv_nsec >= 0 && t.tv_nsec < (long)kSecond; }

uint64_t to_ns(const timespec& t) {
  return (uint64_t)t.tv_sec > (1ull << 33) ? 1ull << 62 : (uint64_t)t.tv_sec * kSecond + (uint64_t)t.tv_nsec;
}

long virtual_clock(clockid_t clock, timespec* out) {
  uint64_t offset;
  if (!clock_offset(clock, &offset)) return -EINVAL;
  const uint64_t now = discipline.read_clock();
  *out = to_timespec(offset + (is_cpu_clock(clock) ? discipline.cpu_time() : now));
  return 0;
}

long virtual_sleep(clockid_t clock, bool absolute, const timespec& t, uint32_t site, timespec* left) {
  uint64_t offset, deadline;
  if (!valid(t) || !clock_offset(clock, &offset)) return -EINVAL;
  if (absolute && is_cpu_clock(clock))
    deadline = to_ns(t) > discipline.cpu_time() ? deadline_in(to_ns(t) - discipline.cpu_time()) : 0;
  else if (absolute)
    deadline = to_ns(t) > offset ? to_ns(t) - offset : 0;
  else
    deadline = deadline_in(to_ns(t));
  if (!sleep_until(site, deadline)) return 0;
  if (left && !absolute) *left = to_timespec(deadline > virtual_now() ? deadline - virtual_now() : 0);
  return -EINTR;
}

template <class F>
F real(const char* name, F& cache) {
  if (HEDDLE_UNLIKELY(!cache)) cache = reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
  return cache;
}

int sleep_from(void* caller, clockid_t clock, bool absolute, const timespec& t, timespec* left = nullptr) {
  Inside inside;
  long r = virtual_sleep(clock, absolute, t, pc_site(caller), left);
  return (int)-r;
}

}  // namespace

bool sleep_until(uint32_t site, uint64_t deadline) {
  Wake wake = point_yielding(Op{HEDDLE_EV_SLEEP, site, 0, 0}, never, nullptr, deadline ? deadline : 1);
  // Time passes: a program that does its work between short sleeps is not taken for one that spins, or only much later.
  constexpr uint32_t kSleepsPerQuietStep = 8;
  static uint32_t sleeps;
  if (control.looks && ++sleeps % kSleepsPerQuietStep) {
    control.looks--;
    if (control.quiet_steps) control.quiet_steps--;
  }
  if (cancel_point) cancel_point();
  return wake == Wake::kInterrupted;
}

long call_clock(Call& c) {
  timespec t;
  if (c.number == SYS_clock_gettime) {
    long r = virtual_clock((clockid_t)c.a[0], &t);
    if (failed(r)) return r;
    return write_program(c.a[1], &t, sizeof t) ? 0 : -EFAULT;
  }
  virtual_clock(CLOCK_REALTIME, &t);
  if (c.number == SYS_time) return !c.a[0] || write_program(c.a[0], &t.tv_sec, sizeof t.tv_sec) ? t.tv_sec : -EFAULT;
  timeval v{t.tv_sec, t.tv_nsec / 1000};
  return !c.a[0] || write_program(c.a[0], &v, sizeof v) ? 0 : -EFAULT;
}

long call_sleep(Call& c) {
  bool plain = c.number == SYS_nanosleep;
  timespec t;
  if (!read_program(&t, plain ? c.a[0] : c.a[2], sizeof t)) return -EFAULT;
  timespec left;
  long to = plain ? c.a[1] : c.a[3];
  long result =
      virtual_sleep(plain ? CLOCK_MONOTONIC : (clockid_t)c.a[0], !plain && (c.a[1] & TIMER_ABSTIME), t, c.site, &left);
  if (result == -EINTR && to && (plain || !(c.a[1] & TIMER_ABSTIME)) && !write_program(to, &left, sizeof left))
    return -EFAULT;
  return result;
}

void io_prepare() { vdso_patch(); }

}  // namespace heddle::rt

using namespace heddle::rt;

namespace {
int set_errno(long error) {
  if (!error) return 0;
  errno = (int)error;
  return -1;
}
decltype(&clock_gettime) real_clock_gettime;
decltype(&timespec_get) real_timespec_get;
decltype(&nanosleep) real_nanosleep;
decltype(&clock_nanosleep) real_clock_nanosleep;
decltype(&usleep) real_usleep;
decltype(&sleep) real_sleep;
decltype(&clock) real_clock;
decltype(&time) real_time;
int (*real_gettimeofday)(timeval*, void*);

bool asked_under_control() { return controlled() && self && !self->in_runtime && self->state == HEDDLE_T_RUNNING; }
}  // namespace

HEDDLE_EXPORT int clock_gettime(clockid_t id, timespec* out) noexcept {
  if (!asked_under_control()) return real("clock_gettime", real_clock_gettime)(id, out);
  return set_errno(-virtual_clock(id, out));
}

HEDDLE_EXPORT int gettimeofday(timeval* __restrict out, void* __restrict zone) noexcept {
  if (!asked_under_control()) return real("gettimeofday", real_gettimeofday)(out, zone);
  timespec t;
  virtual_clock(CLOCK_REALTIME, &t);
  *out = {t.tv_sec, t.tv_nsec / 1000};
  return 0;
}

HEDDLE_EXPORT time_t time(time_t* out) noexcept {
  if (!asked_under_control()) return real("time", real_time)(out);
  timespec t;
  virtual_clock(CLOCK_REALTIME, &t);
  if (out) *out = t.tv_sec;
  return t.tv_sec;
}

HEDDLE_EXPORT clock_t clock() noexcept {
  if (!asked_under_control()) return real("clock", real_clock)();
  discipline.read_clock();
  return (clock_t)(discipline.cpu_time() / 1000);
}

HEDDLE_EXPORT int timespec_get(timespec* out, int base) noexcept {
  if (!asked_under_control()) return real("timespec_get", real_timespec_get)(out, base);
  if (base != TIME_UTC) return 0;
  virtual_clock(CLOCK_REALTIME, out);
  return base;
}

HEDDLE_EXPORT int nanosleep(const timespec* wanted, timespec* left) {
  if (!asked_under_control()) return real("nanosleep", real_nanosleep)(wanted, left);
  return set_errno(sleep_from(__builtin_return_address(0), CLOCK_MONOTONIC, false, *wanted, left));
}

HEDDLE_EXPORT int clock_nanosleep(clockid_t id, int flags, const timespec* wanted, timespec* left) {
  if (!asked_under_control()) return real("clock_nanosleep", real_clock_nanosleep)(id, flags, wanted, left);
  return sleep_from(__builtin_return_address(0), id, flags & TIMER_ABSTIME, *wanted, left);
}

HEDDLE_EXPORT int usleep(useconds_t us) {
  if (!asked_under_control()) return real("usleep", real_usleep)(us);
  return set_errno(sleep_from(__builtin_return_address(0), CLOCK_MONOTONIC, false, to_timespec(us * 1000ull)));
}

HEDDLE_EXPORT unsigned sleep(unsigned seconds) {
  if (!asked_under_control()) return real("sleep", real_sleep)(seconds);
  timespec left{};
  sleep_from(__builtin_return_address(0), CLOCK_MONOTONIC, false, to_timespec(seconds * kSecond), &left);
  return (unsigned)left.tv_sec + (left.tv_nsec >= (long)(kSecond / 2));
}
