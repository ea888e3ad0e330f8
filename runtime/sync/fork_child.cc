// A forked child runs on the real primitives, which control never touched: they get the state of the model first, so that a lock
// held by a thread that the child does not have is held there too, as fork() would have left it.
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>

#include "runtime/sync/fork_child.h"
#include "runtime/sync/model.h"

namespace heddle::rt {
namespace {

int owner_tid(const Object& o, const Thread& me) {
  return o.owner == me.index + 1 ? (int)raw_syscall(SYS_gettid) : thread(o.owner - 1).info->tid;
}

void write_mutex(Object& o, const Thread& me) {
  auto& data = ((pthread_mutex_t*)o.address)->__data;
  if (!o.owner) return;
  data.__lock = 1;
  data.__owner = owner_tid(o, me);
  data.__count = o.depth;
  data.__nusers = 1;
}

void write_rwlock(Object& o) {
  auto* lock = (pthread_rwlock_t*)o.address;
  if (o.owner) HEDDLE_REAL(pthread_rwlock_wrlock)(lock);
  for (uint32_t i = 0; i < o.readers; i++) HEDDLE_REAL(pthread_rwlock_rdlock)(lock);
}

}  // namespace

void model_to_memory(const Thread& me) {
  const HeddleObjectInfo* infos = area<HeddleObjectInfo>(HEDDLE_AREA_OBJECTS);
  for (uint32_t i = 0; i < region->result.object_count; i++) {
    Object* o = find_object((void*)infos[i].address);
    if (!o || o->id != i + 1) continue;
    switch (o->kind) {
      case HEDDLE_EV_MUTEX_LOCK: write_mutex(*o, me); break;
      case HEDDLE_EV_RW_WRLOCK: write_rwlock(*o); break;
      case HEDDLE_EV_SEM_WAIT: *(uint32_t*)o->address = (uint32_t)o->value; break;
      case HEDDLE_EV_SPIN_LOCK:
        if (o->owner) *(volatile int*)o->address = 0;  // glibc: 1 is free
        break;
    }
  }
}

}  // namespace heddle::rt
