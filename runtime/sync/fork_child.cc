// A forked child runs on the real primitives, which control never touched: they get the state of the model first, so
// that a lock held by a thread that the child does not have is held there too, as fork() would have left it.
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>

#include "runtime/sync/fork_child.h"
#include "runtime/sync/model.h"
#include "runtime/sync/process_shared.h"

namespace heddle::rt {
namespace {

// `child`: the thread that a forked child has; null in the parent.
int owner_tid(const Object& o, const Thread* child) {
  return child && o.owner == child->index + 1 ? (int)raw_syscall(SYS_gettid) : thread(o.owner - 1).info->tid;
}

void write_mutex(Object& o, const Thread* child) {
  auto& data = ((pthread_mutex_t*)o.address)->__data;
  if (!o.owner) return;
  data.__lock = 1;
  data.__owner = owner_tid(o, child);
  data.__count = o.depth;
  data.__nusers = 1;
}

void write_rwlock(Object& o) {
  auto* lock = (pthread_rwlock_t*)o.address;
  if (o.owner) HEDDLE_REAL(pthread_rwlock_wrlock)(lock);
  for (uint32_t i = 0; i < o.readers; i++) HEDDLE_REAL(pthread_rwlock_rdlock)(lock);
}

bool is_shared(const Object& o) {
  switch (o.kind) {
    case HEDDLE_EV_MUTEX_LOCK: return is_process_shared((pthread_mutex_t*)o.address);
    case HEDDLE_EV_SEM_WAIT: return is_process_shared((sem_t*)o.address);
    default: return false;
  }
}

void to_memory(Object& o, const Thread* child) {
  switch (o.kind) {
    case HEDDLE_EV_MUTEX_LOCK: write_mutex(o, child); break;
    case HEDDLE_EV_RW_WRLOCK: write_rwlock(o); break;
    case HEDDLE_EV_SEM_WAIT: *(uint32_t*)o.address = (uint32_t)o.value; break;
    case HEDDLE_EV_SPIN_LOCK:
      if (o.owner) *(volatile int*)o.address = 0;  // glibc: 1 is free
      break;
  }
}

template <class F>
void for_objects(F f) {
  const HeddleObjectInfo* infos = area<HeddleObjectInfo>(HEDDLE_AREA_OBJECTS);
  for (uint32_t i = 0; i < region->result.object_count; i++) {
    Object* o = find_object((void*)infos[i].address);
    if (o && o->id == i + 1) f(*o);
  }
}

}  // namespace

bool process_shared_is_real;

// What is shared was written before the fork: the parent may have gone on with it.
void model_to_memory(const Thread& me) {
  for_objects([&](Object& o) {
    if (!process_shared_is_real || !is_shared(o)) to_memory(o, &me);
  });
}

void process_shared_to_memory() {
  if (process_shared_is_real) return;
  process_shared_is_real = true;
  if (region->run.feed) return;
  for_objects([](Object& o) {
    if (is_shared(o)) to_memory(o, nullptr);
  });
}

timespec in_real_time(clockid_t clock, const timespec* at) {
  uint64_t deadline = deadline_at(clock, at), now = virtual_now();
  uint64_t left = deadline > now ? deadline - now : 0;
  timespec t;
  raw_syscall(SYS_clock_gettime, clock, &t);
  uint64_t ns = (uint64_t)t.tv_nsec + left % 1000000000u;
  return {t.tv_sec + (time_t)(left / 1000000000u) + (time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

}  // namespace heddle::rt
