// Threads: creation, start, end, join, detach. Real OS threads always; the backend decides on whose kernel thread they
// run.
//
// A thread's end is the last round of its pthread-key destructors: thread_local destructors and the program's own keys
// run before it, under control.
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <threads.h>

#include "runtime/control/backend.h"
#include "runtime/control/debugger.h"
#include "runtime/control/light.h"
#include "runtime/control/recording.h"
#include "runtime/control/fail.h"
#include "runtime/parallel/heap.h"
#include "runtime/sync/openmp.h"
#include "runtime/sync/libc_lock.h"
#include "runtime/sync/threads.h"

extern "C" void* __libc_stack_end;
extern "C" void* heddle_call_thread(void* (*entry)(void*), void* argument);

namespace heddle::rt {

void robust_owner_died(Thread& t);
/// The robust mutex that it holds; ~0u: more than one; 0: none.
uint32_t robust_held(const Thread& t);

namespace {

pthread_key_t end_key;
bool end_key_made;

// Rounds left before this thread's control ends (PTHREAD_DESTRUCTOR_ITERATIONS is 4).
void at_thread_end(void* rounds) {
  long left = (long)rounds;
  Thread* t = self;
  if (!t || mode != Mode::kControlled) return;
  if (left > 1) {
    pthread_setspecific(end_key, (void*)(left - 1));
    return;
  }
  end_this_thread();
}

constexpr uint64_t kDefaultStack = 8ull << 20;

// pthread_getattr_np would allocate and read /proc. glibc keeps the thread's descriptor at the top of its stack block.
void set_stack(Thread& t, uint64_t high, uint64_t size) {
  t.stack_low = high - size;
  t.stack_high = high;
  t.info->stack_low = t.stack_low;
  t.info->stack_high = t.stack_high;
}

// glibc has the kernel clear the thread's id in its descriptor when the thread is gone: that is what pthread_join waits
// for.
size_t tid_offset;

void find_tid_offset() {
  uint32_t tid = (uint32_t)raw_syscall(SYS_gettid);
  constexpr size_t kFirst = 512, kLast = 2048;  // of glibc's descriptor; 720 in every version from 2.4 to 2.41
  for (tid_offset = 720; tid_offset < kLast && *(uint32_t*)(pthread_self() + tid_offset) != tid;) tid_offset += 4;
  for (size_t at = kFirst; tid_offset >= kLast && at < 720; at += 4)
    if (*(uint32_t*)(pthread_self() + at) == tid) tid_offset = at;
  HEDDLE_CHECK(tid_offset < kLast);
}

}  // namespace

void set_os_thread(Thread& t, pthread_t handle, uint64_t stack_size) {
  t.backend.tid_word = (uint32_t*)(handle + tid_offset);
  t.info->tid = (int)*t.backend.tid_word;
  set_stack(t, (uint64_t)handle, stack_size);
}
void set_own_os_thread(Thread& t) { set_os_thread(t, pthread_self(), t.stack_high); }

namespace {

void* trampoline(void* argument) {
  Thread& t = *static_cast<Thread*>(argument);
  set_self(&t);
  discipline.thread_runs(t);
  pthread_setspecific(end_key, (void*)4l);
  if (!t.backend.unborn) io_thread_start();
  if (backend == &baton_backend) fail_thread_start();  // fibers run on the carrier's alternate stack
  backend->arrive(t);  // returns when chosen: its `start` step
  await_dying_if_any();
  t.state = HEDDLE_T_RUNNING;
  t.info->state = HEDDLE_T_RUNNING;
  if (detector::on) detector::thread_started(t);
  debugger_at_step();
  io_rearm();
  t.sync.result = heddle_call_thread(t.sync.entry, t.sync.entry_argument);
  return t.sync.result;
}

constexpr size_t kNameSize = 16;  // of the kernel's, with its end

bool has_ended(void* t) { return static_cast<Thread*>(t)->finished; }

Thread* by_handle(pthread_t handle) {
  for (uint32_t i = thread_count(); i-- > 0;) {
    Thread& t = thread(i);
    if (t.sync.handle == handle && !t.sync.joined && !(t.sync.detached && t.finished)) return &t;
  }
  return nullptr;
}

int create(pthread_t* handle, const pthread_attr_t* attr, void* (*entry)(void*), void* argument, uint32_t site) {
  LibcCall loader(&libc_loader, __builtin_return_address(0));
  point_owning(Op{HEDDLE_EV_THREAD_CREATE, site, 0, 0}, handle, sizeof *handle, true);
  discipline.released(*self);
  productive();
  if (thread_count() == HEDDLE_MAX_THREADS) {
    note("more than %u threads in one run: pthread_create fails with EAGAIN from here on", HEDDLE_MAX_THREADS);
    return EAGAIN;
  }
  note_openmp_thread((const void*)entry);
  Thread& t = new_thread(*self);
  io_thread_created(t);
  t.sync.entry = entry;
  t.sync.entry_argument = argument;
  t.info->entry = (uint64_t)entry;
  int detach = PTHREAD_CREATE_JOINABLE;
  size_t stack_size = kDefaultStack;
  if (attr) {
    pthread_attr_getdetachstate(attr, &detach);
    pthread_attr_getstacksize(attr, &stack_size);
  }
  t.stack_high = stack_size;  // bounds are made of it
  t.sync.detached = detach == PTHREAD_CREATE_DETACHED;
  if (t.sync.detached) t.info->flags |= HEDDLE_TF_DETACHED;
  pthread_t made{};
  int result;
  discipline.await_ended();
  backend->expect(t);
  {
    LightCreation light(t, attr);
    result = HEDDLE_REAL(pthread_create)(&made, attr, trampoline, &t);
  }
  if (result) {
    t.finished = t.sync.joined = true;
    t.state = t.info->state = HEDDLE_T_DONE;
    last_event_failed();
    return result;
  }
  t.sync.handle = made;
  *handle = made;
  discipline.os_thread_made(t, made, stack_size);
  control.live++;
  backend->await_arrival(t);
  if (detector::in_run) detector::thread_created(*self, t);
  t.op = Op{HEDDLE_EV_THREAD_START, site, 0, 0};
  t.info->pending_kind = HEDDLE_EV_THREAD_START;
  t.info->pending_site = site;
  t.info->pending_stack = 0;
  t.state = HEDDLE_T_PENDING;
  t.info->state = HEDDLE_T_PENDING;
  last_event_value(t.index);
  model_changed();
  return 0;
}

int join(pthread_t handle, void** result, uint64_t deadline, bool try_only, uint32_t site) {
  cancellation_point();
  Thread* t = by_handle(handle);
  if (!t) return ESRCH;
  Op op{HEDDLE_EV_THREAD_JOIN, site, 0, t->index, try_only};
  if (t == self || t->sync.detached) {
    point(op);
    last_event_failed();
    return t == self ? EDEADLK : EINVAL;
  }
  if (try_only) {
    point(op);
    if (!t->finished) {
      last_event_failed();
      unproductive();
      return EBUSY;
    }
  } else if (point(op, has_ended, t, deadline) == Wake::kTimedOut) {
    last_event_failed();
    cancellation_point();
    return ETIMEDOUT;
  }
  t->sync.joined = true;
  t->info->flags |= HEDDLE_TF_JOINED;
  last_event_value(t->index);
  productive();
  if (detector::in_run) detector::thread_joined(*self, *t);
  void* value = nullptr;
  int error;
  {
    AllowSyscalls allow;
    error = HEDDLE_REAL(pthread_join)(handle, &value);
  }
  if (error || !result) return error;
  write_again(result, sizeof *result);
  *result = value;
  return 0;
}

}  // namespace

void end_this_thread() {
  Thread& t = *self;
  discipline.stay_inside();
  const uint32_t held = HEDDLE_UNLIKELY(control.observe) ? robust_held(t) : 0;  // it matters to who looks at the order
  point(Op{HEDDLE_EV_THREAD_EXIT, 0, 0, 0, held});
  productive();
  robust_owner_died(t);
  drop_objects_in((void*)t.stack_low, t.stack_high - t.stack_low);
  own_heap_retire(t);
  const bool on_carrier = t.backend.light && control.live > 1;
  set_self(nullptr);
  thread_finished(t);
  if (!on_carrier) io_thread_stop();  // from here on this OS thread is on its own
}

void threads_prepare() {
  if (!end_key_made) end_key_made = pthread_key_create(&end_key, at_thread_end) == 0;
  find_tid_offset();
}

void threads_start() {
  Thread& main = *self;
  main.sync.handle = pthread_self();
  set_os_thread(main, main.sync.handle, 0);
  set_stack(main, ((uint64_t)__libc_stack_end + 4095) & ~4095ull, kDefaultStack);
  pthread_setspecific(end_key, (void*)4l);
}

}  // namespace heddle::rt

using namespace heddle::rt;
#define HEDDLE_HERE pc_site(__builtin_return_address(0))

HEDDLE_EXPORT int pthread_create(pthread_t* handle, const pthread_attr_t* attr, void* (*entry)(void*), void* argument) {
  if (HEDDLE_UNLIKELY(mode == Mode::kServer)) begin_run();  // a library's constructor makes a thread
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_create)(handle, attr, entry, argument);
  return create(handle, attr, entry, argument, HEDDLE_HERE);
}
HEDDLE_EXPORT int pthread_join(pthread_t handle, void** result) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_join)(handle, result);
  return join(handle, result, 0, false, HEDDLE_HERE);
}
HEDDLE_EXPORT int pthread_tryjoin_np(pthread_t handle, void** result) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_tryjoin_np)(handle, result);
  return join(handle, result, 0, true, HEDDLE_HERE);
}
HEDDLE_EXPORT int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* at) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_timedjoin_np)(handle, result, at);
  return join(handle, result, deadline_at(CLOCK_REALTIME, at), false, HEDDLE_HERE);
}
HEDDLE_EXPORT int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock, const timespec* at) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_clockjoin_np)(handle, result, clock, at);
  return join(handle, result, deadline_at(clock, at), false, HEDDLE_HERE);
}
HEDDLE_EXPORT int pthread_detach(pthread_t handle) {
  const Modelled on;
  if (!on) return HEDDLE_REAL(pthread_detach)(handle);
  point(HEDDLE_CALL_OP(THREAD_DETACH, 0, 0));
  if (Thread* t = by_handle(handle)) {
    t->sync.detached = true;
    t->info->flags |= HEDDLE_TF_DETACHED;
  }
  AllowSyscalls allow;
  return HEDDLE_REAL(pthread_detach)(handle);
}
HEDDLE_EXPORT int pthread_getname_np(pthread_t handle, char* name, size_t size) {
  const Modelled on;
  Thread* t = on ? by_handle(handle) : nullptr;
  if (!t) return HEDDLE_REAL(pthread_getname_np)(handle, name, size);
  char buffer[kNameSize] = {};
  // Never named: as the program is.
  __builtin_strncpy(buffer, t->info->label[0] ? t->info->label : program_invocation_short_name, kNameSize - 1);
  const size_t length = __builtin_strlen(buffer);
  if (length >= size) return ERANGE;
  __builtin_memcpy(name, buffer, length + 1);
  return 0;
}
HEDDLE_EXPORT int pthread_setname_np(pthread_t handle, const char* name) {
  const Modelled on;
  if (Thread* t = on ? by_handle(handle) : nullptr) {
    const size_t length = __builtin_strlen(name);
    if (length >= kNameSize) return ERANGE;
    __builtin_memcpy(t->info->label, name, length + 1);
    if (t != self) return 0;  // libc would do it by the id of a kernel thread: there may be none
  }
  return HEDDLE_REAL(pthread_setname_np)(handle, name);
}
