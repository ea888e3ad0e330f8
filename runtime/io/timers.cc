// The timers of a controlled run: alarm, setitimer, timer_create, timerfd. They run in virtual time, so when they
// expire is part of the schedule: when their time has come, when nobody can run, or early, by a choice
// (control/expiry.h). A timerfd is an eventfd to the kernel, to which each expiration is added: read, poll and epoll
// see what a timerfd shows. A replay has what timers did among its inputs. Timers of CPU time (ITIMER_VIRTUAL,
// ITIMER_PROF, CPU clocks) run while steps are executed: nobody waits for them, and no jump lets them expire.
//
// Rules of this file: io_timers_expire() runs on any kernel thread that has the baton, perhaps without TLS.
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

#include <linux/kcmp.h>

#include "runtime/arena.h"
#include "runtime/control/control.h"
#include "runtime/control/expiry.h"
#include "runtime/io/descriptors.h"
#include "runtime/io/stream.h"

namespace heddle::rt {

uint64_t io_timer_due = ~0ull, io_timer_early = ~0ull, io_timer_cpu_step = ~0ull;

bool timers_are_virtual = true;
void timers_are_real() { timers_are_virtual = false; }

namespace {

constexpr uint64_t kSecond = 1000000000u;
constexpr long kFirstId = 0x10000;  // of timer_create(): the kernel's own are smaller
constexpr uint32_t kIntervalTimers = 3, kMostTimers = 256;
constexpr int kThreadId = 4;  // SIGEV_THREAD_ID

struct Timer {
  bool used = false;
  clockid_t clock = CLOCK_MONOTONIC;
  int fd = -1;               // -1: it sends a signal
  int signo = 0;             // 0: not even that
  Thread* target = nullptr;  // null: the process
  sigval value{};
  bool cpu = false;                // runs in CPU time
  uint64_t due = 0, interval = 0;  // due 0: not armed
  uint64_t early_step = ~0ull;     // from here on it may be let expire; ~0: not before it is due
  uint32_t overrun = 0;
  uint32_t site = 0, thread = 0;  // that armed it
};
Timer* timers;
uint32_t armed_so_far;

// Descriptors of timerfds: one may have several.
struct Name {
  int fd;
  uint32_t timer;
};
constexpr uint32_t kMostNames = 1024;
Name* names;
uint32_t name_count;

void name(long fd, const Timer& t) {
  if (!names) names = static_cast<Name*>(arena_allocate_cold(sizeof(Name) * kMostNames));
  if (name_count < kMostNames) names[name_count++] = {(int)fd, (uint32_t)(&t - timers)};
}

uint64_t now_of(const Timer& t) { return t.cpu ? discipline.cpu_time() : control.now; }
uint64_t due_in(const Timer& t, uint64_t ns) {
  if (!t.cpu) return deadline_in(ns);
  return ns > 1ull << 62 ? 1ull << 62 : discipline.cpu_time() + ns + 1;
}

Timer* table() {
  if (!timers) {
    timers = static_cast<Timer*>(arena_allocate_cold(sizeof(Timer) * kMostTimers));
    constexpr int kSignals[kIntervalTimers] = {SIGALRM, SIGVTALRM, SIGPROF};
    for (uint32_t i = 0; i < kIntervalTimers; i++)
      timers[i] =
          Timer{.used = true, .clock = CLOCK_MONOTONIC, .fd = -1, .signo = kSignals[i], .cpu = i != ITIMER_REAL};
  }
  return timers;
}

Timer* free_timer() {
  for (uint32_t i = kIntervalTimers; i < kMostTimers; i++)
    if (!table()[i].used) return &timers[i];
  return nullptr;
}

Timer* timer_by_id(long id) {
  if (id < kFirstId + kIntervalTimers || id >= kFirstId + kMostTimers || !timers) return nullptr;
  Timer& t = timers[id - kFirstId];
  return t.used && t.fd < 0 ? &t : nullptr;
}

Timer* timer_by_descriptor(long fd) {
  for (uint32_t i = 0; i < name_count; i++)
    if (names[i].fd == fd) return &timers[names[i].timer];
  for (uint32_t i = kIntervalTimers; timers && i < kMostTimers; i++)
    if (timers[i].used && timers[i].fd >= 0 &&
        raw_syscall(SYS_kcmp, real_pid, real_pid, KCMP_FILE, fd, timers[i].fd) == 0)
      return &timers[i];
  return nullptr;
}

void find_next() {
  io_timer_due = io_timer_early = io_timer_cpu_step = ~0ull;
  for (uint32_t i = 0; i < kMostTimers; i++) {
    const Timer& t = timers[i];
    if (!t.used || !t.due) continue;
    if (t.cpu) {
      const uint64_t now = discipline.cpu_time(), left = t.due > now ? t.due - now : 0;
      const uint64_t step = control.steps + (left + kStepTick - 1) / kStepTick;
      if (step < io_timer_cpu_step) io_timer_cpu_step = step;
      continue;
    }
    if (t.due < io_timer_due) io_timer_due = t.due;
    if (t.early_step < io_timer_early) io_timer_early = t.early_step;
  }
}

void arm(Timer& t, uint64_t due, uint64_t interval) {
  t.due = due;
  t.interval = interval;
  const bool ends_program = t.fd < 0 && is_fatal(t.target, t.signo);
  t.early_step = due && !ends_program && !t.cpu ? early_step_of_timer(due, ++armed_so_far) : ~0ull;
}

// By the program: its own call.
void set(const Call& c, Timer& t, uint64_t due, uint64_t interval) {
  t.site = c.site;
  t.thread = c.thread.index;
  t.overrun = 0;
  arm(t, due, interval);
  find_next();
  control.dirty = true;
  control.stay_until = 0;
}

uint64_t left_of(const Timer& t) { return !t.due ? 0 : t.due > now_of(t) ? t.due - now_of(t) : 1; }

uint64_t to_ns(const timespec& t) {
  return (uint64_t)t.tv_sec > (1ull << 33) ? 1ull << 62 : (uint64_t)t.tv_sec * kSecond + (uint64_t)t.tv_nsec;
}
timespec to_timespec(uint64_t ns) { return {(time_t)(ns / kSecond), (long)(ns % kSecond)}; }
uint64_t to_ns(const timeval& t) { return to_ns(timespec{t.tv_sec, t.tv_usec * 1000}); }
timeval to_timeval(uint64_t ns) { return {(time_t)(ns / kSecond), (suseconds_t)(ns % kSecond / 1000)}; }
bool is_valid(const timespec& t) { return t.tv_sec >= 0 && t.tv_nsec >= 0 && t.tv_nsec < (long)kSecond; }
bool is_valid(const timeval& t) { return t.tv_sec >= 0 && t.tv_usec >= 0 && t.tv_usec < 1000000; }

itimerspec setting_of(const Timer& t) { return {to_timespec(t.interval), to_timespec(left_of(t))}; }

long set_by_spec(const Call& c, Timer& t, bool absolute, long wanted, long old) {
  itimerspec s;
  uint64_t offset;
  if (!read_program(&s, (uint64_t)wanted, sizeof s)) return -EFAULT;
  if (!is_valid(s.it_value) || !is_valid(s.it_interval) || !clock_offset(t.clock, &offset)) return -EINVAL;
  const itimerspec before = setting_of(t);
  if (old && !write_program((uint64_t)old, &before, sizeof before)) return -EFAULT;
  const uint64_t value = to_ns(s.it_value);
  const uint64_t due = !value ? 0 : !absolute ? due_in(t, value) : value > offset ? value - offset : 1;
  set(c, t, due, to_ns(s.it_interval));
  return 0;
}

long get_by_spec(const Timer& t, long to) {
  const itimerspec now = setting_of(t);
  return write_program((uint64_t)to, &now, sizeof now) ? 0 : -EFAULT;
}

long set_interval_timer(const Call& c) {
  if ((unsigned long)c.a[0] >= kIntervalTimers) return -EINVAL;
  Timer& t = table()[c.a[0]];
  itimerval wanted{}, before{to_timeval(t.interval), to_timeval(left_of(t))};
  if (c.number == SYS_getitimer) return write_program((uint64_t)c.a[1], &before, sizeof before) ? 0 : -EFAULT;
  if (c.a[1] && !read_program(&wanted, (uint64_t)c.a[1], sizeof wanted)) return -EFAULT;
  if (!is_valid(wanted.it_value) || !is_valid(wanted.it_interval)) return -EINVAL;
  if (c.a[2] && !write_program((uint64_t)c.a[2], &before, sizeof before)) return -EFAULT;
  const uint64_t value = to_ns(wanted.it_value);
  set(c, t, value ? due_in(t, value) : 0, to_ns(wanted.it_interval));
  return 0;
}

long set_alarm(const Call& c) {
  Timer& t = table()[0];
  const uint64_t left = left_of(t), seconds = left / kSecond + (left % kSecond >= kSecond / 2);
  set(c, t, c.a[0] ? deadline_in((uint64_t)(unsigned)c.a[0] * kSecond) : 0, 0);
  return left && !seconds ? 1 : (long)seconds;
}

// False: it is for a thread that we do not know (of libc: SIGEV_THREAD).
bool create(const Call& c, long* result) {
  struct sigevent event {};
  uint64_t offset;
  if (c.a[1] && !read_program(&event, (uint64_t)c.a[1], sizeof event)) return *result = -EFAULT, true;
  if (!clock_offset((clockid_t)c.a[0], &offset)) return *result = -EINVAL, true;
  const bool for_thread = c.a[1] && event.sigev_notify & kThreadId;
  Thread* target = for_thread ? thread_by_tid(c.thread, event._sigev_un._tid) : nullptr;
  if (for_thread && !target) return timers_run_outside(), false;
  Timer* t = free_timer();
  if (!t) return *result = -EAGAIN, true;
  const int id = (int)(kFirstId + (t - timers));
  if (!c.a[1]) event.sigev_signo = SIGALRM, event.sigev_value.sival_int = id;
  const bool silent = c.a[1] && event.sigev_notify == SIGEV_NONE;
  if (!silent && (event.sigev_signo < 1 || event.sigev_signo > 64)) return *result = -EINVAL, true;
  if (!write_program((uint64_t)c.a[2], &id, sizeof id)) return *result = -EFAULT, true;
  *t = Timer{.used = true,
             .clock = (clockid_t)c.a[0],
             .fd = -1,
             .signo = silent ? 0 : event.sigev_signo,
             .target = target,
             .value = event.sigev_value,
             .cpu = is_cpu_clock((clockid_t)c.a[0])};
  *result = 0;
  return true;
}

long remove(Timer& t) {
  t.used = false;
  t.due = 0;
  find_next();
  return 0;
}

long create_descriptor(const Call& c) {
  uint64_t offset;
  if (!clock_offset((clockid_t)c.a[0], &offset) || is_cpu_clock((clockid_t)c.a[0])) return -EINVAL;
  if (c.a[1] & ~(long)(TFD_NONBLOCK | TFD_CLOEXEC)) return -EINVAL;
  Timer* t = free_timer();
  if (!t) return -EMFILE;
  const long fd = raw_syscall(SYS_eventfd2, 0, c.a[1]);
  if (failed(fd)) return fd;
  *t = Timer{.used = true, .clock = (clockid_t)c.a[0], .fd = (int)fd};
  name(fd, *t);
  return fd;
}

// Arming it anew forgets what has expired.
long set_descriptor(const Call& c, Timer& t) {
  const long result = set_by_spec(c, t, c.a[1] & TFD_TIMER_ABSTIME, c.a[2], c.a[3]);
  uint64_t count;
  if (!failed(result) && polls_ready(t.fd, 1 /* POLLIN */)) raw_syscall(SYS_read, t.fd, &count, sizeof count);
  return result;
}

void expire(Timer& t, uint64_t times) {
  if (t.fd >= 0) {
    raw_syscall(SYS_write, t.fd, &times, sizeof times);
    inside_changed();
    return;
  }
  t.overrun = (uint32_t)(times - 1);
  siginfo_t info{};
  const bool posix = &t >= timers + kIntervalTimers;
  info.si_signo = t.signo;
  info.si_code = posix ? SI_TIMER : SI_KERNEL;
  if (posix) {
    info.si_timerid = (int)(kFirstId + (&t - timers));
    info.si_overrun = (int)t.overrun;
    info.si_value = t.value;
  }
  if (t.signo) send_timer_signal(t.target, t.signo, info);
}

}  // namespace

void io_timers_expire() {
  for (uint32_t i = 0; i < kMostTimers; i++) {
    Timer& t = timers[i];
    if (!t.used || !t.due || t.due > now_of(t)) continue;
    const uint64_t times = t.interval ? 1 + (now_of(t) - t.due) / t.interval : 1;
    arm(t, t.interval ? t.due + times * t.interval : 0, t.interval);
    expire(t, times);
  }
  find_next();
}

bool io_timer_only_ends_program() {
  constexpr uint64_t kSoon = 5 * kSecond;
  for (uint32_t i = 0; i < kMostTimers; i++)
    if (const Timer& t = timers[i];
        t.used && t.due && !t.cpu && (t.fd >= 0 || !is_fatal(t.target, t.signo) || t.due < control.now + kSoon))
      return false;
  return true;
}

void io_timer_comes_early() {
  for (uint32_t i = 0; i < kMostTimers; i++) {
    Timer& t = timers[i];
    if (!t.used || !t.due || t.early_step > control.steps) continue;
    t.early_step = ~0ull;
    if (t.due <= control.now) continue;
    const uint64_t skipped = t.due - control.now;
    io_timer_jumped(control.steps, skipped, t.thread, t.site);
    control.now = t.due;
    region->result.early_timeouts++;
    break;
  }
  find_next();
}

void timers_closed(long first, long last) {
  for (uint32_t i = 0; i < name_count;) {
    if (names[i].fd < first || names[i].fd > last) {
      i++;
      continue;
    }
    Timer& t = timers[names[i].timer];
    const int closed = names[i].fd;
    names[i] = names[--name_count];
    if (t.fd != closed) continue;
    t.fd = -1;
    for (uint32_t k = 0; k < name_count; k++)
      if (&timers[names[k].timer] == &t) t.fd = names[k].fd;
    if (t.fd < 0) remove(t);
  }
}

void timers_copied(long from, long to) {
  if (!name_count) return;
  if (const Timer* t = timer_by_descriptor(from)) name(to, *t);
}

void timers_before_exec(bool on) {
  for (uint32_t i = 0; timers && i < kIntervalTimers; i++) {
    if (!timers[i].due) continue;
    const uint64_t left = left_of(timers[i]);
    const itimerval value =
        on ? itimerval{to_timeval(timers[i].interval), to_timeval(left < 1000 ? 1000 : left)} : itimerval{};
    raw_syscall(SYS_setitimer, i, &value, nullptr);
  }
}

bool has_timer_descriptors() { return name_count != 0; }

bool timer_call(const Call& c, long* result) {
  if (!timers_are_virtual) return false;
  Timer* t = nullptr;
  switch (c.number) {
    case SYS_alarm: *result = set_alarm(c); return true;
    case SYS_setitimer: case SYS_getitimer: *result = set_interval_timer(c); return true;
    case SYS_timer_create: return create(c, result);
    case SYS_timerfd_create: *result = create_descriptor(c); return true;
    case SYS_timer_settime:
    case SYS_timer_gettime:
    case SYS_timer_getoverrun:
    case SYS_timer_delete:
      t = timer_by_id(c.a[0]);
      break;
    case SYS_timerfd_settime: case SYS_timerfd_gettime: t = timer_by_descriptor(c.a[0]); break;
    default: return false;
  }
  if (!t) return false;  // the kernel's, or a wrong number
  switch (c.number) {
    case SYS_timer_settime: *result = set_by_spec(c, *t, c.a[1] & TIMER_ABSTIME, c.a[2], c.a[3]); break;
    case SYS_timerfd_settime: *result = set_descriptor(c, *t); break;
    case SYS_timer_getoverrun: *result = t->overrun; break;
    case SYS_timer_delete: *result = remove(*t); break;
    default: *result = get_by_spec(*t, c.a[1]); break;
  }
  return true;
}

}  // namespace heddle::rt
