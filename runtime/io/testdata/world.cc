// A preloadable stand-in for the engine, for the tests of runtime/io/ alone: one lock instead of a scheduler, a file
// instead of the host's region. WORLD_MODE=record|feed, WORLD_FILE=the region; WORLD_EXIT=where to write how the run
// ended.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "runtime/arena.h"
#include "runtime/detector/detector.h"
#include "runtime/io/call.h"
#include "runtime/io/kernel_signal.h"
namespace heddle::rt {
Mode mode = Mode::kIdle;
HeddleRegion* region;
thread_local Thread* self __attribute__((tls_model("initial-exec")));
static Thread threads[4096];
static uint32_t nthreads;
static uint64_t now;
Thread& thread(uint32_t i) { return threads[i]; }
uint32_t thread_count() { return nthreads; }
static uint32_t gil = 0;
static void lock() {
  uint32_t z = 0;
  while (!__atomic_compare_exchange_n(&gil, &z, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    raw_syscall(SYS_futex, &gil, FUTEX_WAIT, 1, 0);
    z = 0;
  }
}
static void unlock() {
  __atomic_store_n(&gil, 0, __ATOMIC_SEQ_CST);
  raw_syscall(SYS_futex, &gil, FUTEX_WAKE, 1);
}
static uint64_t out_count;
Wake point(const Op& op, Ready r, void*, uint64_t deadline) {
  io_deliver_signals();
  now += 100;
  if (r && !deadline) {
    unlock();
    for (;;) raw_syscall(SYS_pause);
  }
  if (deadline > now) now = deadline;
  unlock();
  raw_syscall(SYS_sched_yield);
  lock();
  io_rearm();
  return r ? Wake::kTimedOut : Wake::kReady;
}
Wake point_yielding(const Op& op, Ready r, void* a, uint64_t d) { return point(op, r, a, d); }
void leave(const Op& op) {
  point(op, nullptr, nullptr, 0);
  self->state = HEDDLE_T_OUT;
  out_count++;
  unlock();
}
void enter(const Op&) {
  lock();
  self->state = HEDDLE_T_RUNNING;
  io_rearm();
}
uint64_t virtual_now() { return now; }
uint64_t clock_read() { return now += 1000; }
uint64_t deadline_in(uint64_t ns) { return now + ns + 1; }
uint32_t pc_site(void* p) { return (uint32_t)(uintptr_t)p | HEDDLE_SITE_PC; }
void* arena_allocate(size_t n) {
  static char* c;
  static size_t left;
  n = (n + 15) & ~15ull;
  if (n > left) {
    size_t m = n > (1 << 20) ? n : (1 << 20);
    c = (char*)raw_syscall(SYS_mmap, 0, m, 3, 0x22, -1, 0);
    left = m;
  }
  char* p = c;
  c += n;
  left -= n;
  return p;
}
void check_failed(const char*, const char*, int) { abort(); }
void note(const char* f, ...) {
  char b[600];
  va_list a;
  va_start(a, f);
  int n = vsnprintf(b, 500, f, a);
  va_end(a);
  b[n++] = '\n';
  if (getenv("WORLD_NOTES")) {
    raw_syscall(SYS_write, 2, "note: ", 6);
    raw_syscall(SYS_write, 2, b, n);
  }
}
long futex_model(long u, long op, long v, long t, long u2, long v3, uint32_t) {
  int cmd = op & 0x7f;
  if (cmd == FUTEX_WAIT || cmd == FUTEX_WAIT_BITSET) {
    leave(Op{});
    long r = raw_syscall(SYS_futex, u, op, v, t, u2, v3);
    enter(Op{});
    return r;
  }
  return raw_syscall(SYS_futex, u, op, v, t, u2, v3);
}
long fail_sigaction(int s, const void* a, void* o, size_t n) { return raw_syscall(SYS_rt_sigaction, s, a, o, n); }
void note_exit(int status) {
  region->result.exit_called = 1;
  region->result.exit_status = status;
  if (const char* where = getenv("WORLD_EXIT")) {
    char b[200];
    int n = snprintf(b, 200, "[exit %d, input bytes %llu, fed %llu, left %llu]\n", status,
                     (unsigned long long)region->result.input_bytes, (unsigned long long)region->result.inputs_fed,
                     (unsigned long long)out_count);
    long fd = raw_syscall(SYS_open, where, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    raw_syscall(SYS_write, fd, b, n);
  }
}
void diverge_input(const char* t) {
  raw_syscall(SYS_write, 2, "DIVERGED: ", 10);
  raw_syscall(SYS_write, 2, t, strlen(t));
  raw_syscall(SYS_write, 2, "\n", 1);
  raw_syscall(SYS_exit_group, 121);
  __builtin_trap();
}
namespace detector {
bool on;
void io_release(Thread&) {}
void io_acquire(Thread&) {}
}  // namespace detector
static HeddleThreadInfo infos[4096];
static Thread& make() {
  Thread& t = threads[nthreads];
  t.index = nthreads;
  t.info = &infos[nthreads];
  nthreads++;
  return t;
}
struct Start {
  void* (*f)(void*);
  void* a;
  Thread* t;
};
static pthread_key_t endkey;
static void ended(void*) {
  self->state = HEDDLE_T_DONE;
  self->finished = true;
  io_thread_stop();
  unlock();
}
static void* tramp(void* p) {
  Start s = *(Start*)p;
  s.t->info->tid = raw_syscall(SYS_gettid);
  io_thread_start();
  lock();
  self = s.t;
  self->state = HEDDLE_T_RUNNING;
  io_rearm();
  pthread_setspecific(endkey, self);
  return s.f(s.a);
}
__attribute__((constructor(101))) void begin() {
  const char* m = getenv("WORLD_MODE");
  if (!m) return;
  int fd = open(getenv("WORLD_FILE"), O_RDWR | O_CREAT, 0600);
  size_t total = 256u << 20;
  ftruncate(fd, total);
  region = (HeddleRegion*)mmap(0, total, 3, MAP_SHARED, fd, 0);
  close(fd);
  bool feed = !strcmp(m, "feed");
  region->area[HEDDLE_AREA_INPUTS_IN] = region->area[HEDDLE_AREA_INPUTS_OUT] = {1u << 20, total - (1u << 20)};
  region->run.feed = feed;
  region->run.time_base_ns = 1700000000ull * 1000000000;
  region->run.virtual_cpus = 3;
  region->run.input_bytes = feed ? region->result.input_bytes : 0;
  if (!feed) region->result.input_bytes = 0;
  region->result.overflow = 0;
  region->result.inputs_fed = 0;
  Thread& t = make();
  self = &t;
  t.state = HEDDLE_T_RUNNING;
  t.info->tid = gettid();
  lock();
  unsetenv("LD_PRELOAD");
  pthread_key_create(&endkey, ended);
  io_prepare();
  mode = Mode::kControlled;
  io_start();
}
}  // namespace heddle::rt
using namespace heddle::rt;
extern "C" int pthread_create(pthread_t* h, const pthread_attr_t* at, void* (*f)(void*), void* a) {
  static auto real = (decltype(&pthread_create))dlsym(RTLD_NEXT, "pthread_create");
  if (!controlled()) return real(h, at, f, a);
  Start* s = (Start*)malloc(sizeof(Start));
  *s = {f, a, &make()};
  s->t->info->parent = self->index;
  AllowSyscalls allow;
  return real(h, at, tramp, s);
}
extern "C" int pthread_join(pthread_t h, void** r) {
  static auto real = (decltype(&pthread_join))dlsym(RTLD_NEXT, "pthread_join");
  if (!controlled()) return real(h, r);
  io_allow_begin();
  leave(Op{});
  io_thread_stop();
  int x = real(h, r);
  io_thread_start();
  enter(Op{});
  io_allow_end();
  return x;
}
static void on_segv(int, siginfo_t*, void* c) {
  if (io_recover_fault(c)) return;
  die_by_signal(SIGSEGV);
}
__attribute__((constructor(102))) void segv() {
  if (!controlled() || getenv("WORLD_SLOWCOPY")) return;
  KernelSigaction a{(void*)on_segv, SA_SIGINFO | SA_NODEFER | kSaRestorer, heddle_restore_rt, 0};
  raw_syscall(SYS_rt_sigaction, SIGSEGV, &a, 0, 8);
  raw_syscall(SYS_rt_sigaction, SIGBUS, &a, 0, 8);
  io_faults_are_recovered();
}
static pthread_t cancel_target;
static bool cancel_asked;
namespace heddle::rt {
bool cancel_pending(Thread&) { return false; }
bool replay_has_more() { return false; }
void cancel_point() {
  static auto real = (void (*)(void*))dlsym(RTLD_NEXT, "pthread_exit");
  if (cancel_asked && pthread_equal(pthread_self(), cancel_target)) {
    cancel_asked = false;
    real(PTHREAD_CANCELED);
  }
}
}  // namespace heddle::rt
extern "C" int pthread_cancel(pthread_t h) {
  cancel_target = h;
  cancel_asked = true;
  for (uint32_t i = 0; i < thread_count(); i++)
    if (&thread(i) != self) io_interrupt(thread(i));
  return 0;
}
