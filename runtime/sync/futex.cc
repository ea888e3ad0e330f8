// SYS_futex, as made by the program and by libraries (C++20 wait/notify, semaphores, latches; glibc's own low-level
// locks): reached through the system call trap or the interposed syscall(). Waiters are woken in order of arrival, as
// the kernel does.
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "runtime/sync/model.h"

namespace heddle::rt {
namespace {

struct Waiter {
  Waiter* next;
  Object* object;
  Thread* thread;
  uint32_t mask;
  bool woken;
};

bool is_woken(void* w) { return static_cast<Waiter*>(w)->woken; }

Object& futex_at(uint64_t address) { return object_at((void*)address, HEDDLE_EV_FUTEX_WAIT); }

void append(Object& o, Waiter* w) {
  w->object = &o;
  w->next = nullptr;
  Waiter** p = reinterpret_cast<Waiter**>(&o.waiters);
  while (*p) p = &(*p)->next;
  *p = w;
  o.info->waiters++;
}

void unlink(Waiter* w) {
  for (Waiter** p = reinterpret_cast<Waiter**>(&w->object->waiters); *p; p = &(*p)->next) {
    if (*p != w) continue;
    *p = w->next;
    w->object->info->waiters--;
    return;
  }
}

long wake(Object& o, long count, uint32_t mask) {
  long woken = 0;
  Waiter** p = reinterpret_cast<Waiter**>(&o.waiters);
  while (*p && woken < count) {
    Waiter* w = *p;
    if (!(w->mask & mask)) {
      p = &w->next;
      continue;
    }
    *p = w->next;
    o.info->waiters--;
    w->woken = true;
    woken++;
  }
  if (!woken) o.info->lost_signals++;
  o.info->last_signaler = self->index + 1;
  released(o);
  model_changed();
  if (woken) productive();
  return woken;
}

long requeue(Object& from, Object& to, long count) {
  long moved = 0;
  while (from.waiters && moved < count) {
    Waiter* w = static_cast<Waiter*>(from.waiters);
    from.waiters = w->next;
    from.info->waiters--;
    append(to, w);
    moved++;
  }
  return moved;
}

uint64_t deadline_of(long op, const timespec* timeout) {
  if (!timeout) return 0;
  int command = (int)op & FUTEX_CMD_MASK;
  if (command == FUTEX_WAIT) {
    if (timeout->tv_sec > (1l << 30)) return 1ull << 62;
    return deadline_in((uint64_t)timeout->tv_sec * 1000000000u + (uint64_t)timeout->tv_nsec);
  }
  return deadline_at((op & FUTEX_CLOCK_REALTIME) ? CLOCK_REALTIME : CLOCK_MONOTONIC, timeout);
}

long wait(uint64_t address, uint32_t expected, uint64_t deadline, uint32_t mask, uint32_t site) {
  Object& o = futex_at(address);
  point_owning(Op{HEDDLE_EV_FUTEX_WAIT, site, o.id, address}, (void*)address, sizeof expected, false);
  if (__atomic_load_n((uint32_t*)address, __ATOMIC_SEQ_CST) != expected) {
    last_event_failed();
    unproductive();
    return -EAGAIN;
  }
  productive();
  Waiter w{nullptr, nullptr, self, mask, false};
  append(o, &w);
  Wake wake = point(Op{HEDDLE_EV_FUTEX_WOKEN, site, o.id, address}, is_woken, &w, deadline);
  if (wake != Wake::kReady) {
    unlink(&w);
    last_event_failed();
    return wake == Wake::kInterrupted ? -EINTR : -ETIMEDOUT;
  }
  acquired(*w.object);
  return 0;
}

long wake_op(uint64_t address2, uint32_t code) {
  int op = (int)(code >> 28) & 7, compare = (int)(code >> 24) & 15;
  uint32_t operand = (code >> 12) & 0xfff, against = code & 0xfff;
  if (code >> 31) operand = 1u << (operand & 31);
  uint32_t old = __atomic_load_n((uint32_t*)address2, __ATOMIC_SEQ_CST), now = old;
  switch (op) {
    case FUTEX_OP_SET: now = operand; break;
    case FUTEX_OP_ADD: now = old + operand; break;
    case FUTEX_OP_OR: now = old | operand; break;
    case FUTEX_OP_ANDN: now = old & ~operand; break;
    case FUTEX_OP_XOR: now = old ^ operand; break;
  }
  __atomic_store_n((uint32_t*)address2, now, __ATOMIC_SEQ_CST);
  switch (compare) {
    case FUTEX_OP_CMP_EQ: return old == against;
    case FUTEX_OP_CMP_NE: return old != against;
    case FUTEX_OP_CMP_LT: return (int32_t)old < (int32_t)against;
    case FUTEX_OP_CMP_LE: return (int32_t)old <= (int32_t)against;
    case FUTEX_OP_CMP_GT: return (int32_t)old > (int32_t)against;
    default: return (int32_t)old >= (int32_t)against;
  }
}

}  // namespace

long futex_model(long uaddr, long op, long val, long timeout, long uaddr2, long val3, uint32_t site) {
  uint64_t address = (uint64_t)uaddr;
  const Modelled on;
  if (!on) return raw_syscall(SYS_futex, uaddr, op, val, timeout, uaddr2, val3);
  switch ((int)op & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
      return wait(address, (uint32_t)val, deadline_of(op, (const timespec*)timeout), ~0u, site);
    case FUTEX_WAIT_BITSET:
      return wait(address, (uint32_t)val, deadline_of(op, (const timespec*)timeout), (uint32_t)val3, site);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: {
      Object& o = futex_at(address);
      point(Op{HEDDLE_EV_FUTEX_WAKE, site, o.id, address});
      // Beside us a thread that has left control may wait for real, at its end, for a lock inside libc.
      discipline.wake_natively(uaddr, op, val, timeout, uaddr2, val3);
      return wake(o, val, ((int)op & FUTEX_CMD_MASK) == FUTEX_WAKE ? ~0u : (uint32_t)val3);
    }
    case FUTEX_CMP_REQUEUE:
    case FUTEX_REQUEUE: {
      Object& o = futex_at(address);
      point_owning(Op{HEDDLE_EV_FUTEX_WAKE, site, o.id, address}, (void*)address, sizeof(uint32_t), false);
      if (((int)op & FUTEX_CMD_MASK) == FUTEX_CMP_REQUEUE && *(volatile uint32_t*)address != (uint32_t)val3)
        return -EAGAIN;
      long woken = wake(o, val, ~0u);
      return woken + requeue(o, futex_at((uint64_t)uaddr2), timeout);
    }
    case FUTEX_WAKE_OP: {
      Object& o = futex_at(address);
      point_owning(Op{HEDDLE_EV_FUTEX_WAKE, site, o.id, address}, (void*)uaddr2, sizeof(uint32_t), true);
      bool also = wake_op((uint64_t)uaddr2, (uint32_t)val3);
      long woken = wake(o, val, ~0u);
      return also ? woken + wake(futex_at((uint64_t)uaddr2), timeout, ~0u) : woken;
    }
    case FUTEX_UNLOCK_PI:  // glibc asks so, once, whether the kernel can: locks of this kind are modelled above it
      if (*(volatile uint32_t*)address == 0) return -EPERM;
      [[fallthrough]];
    default:
      note("futex operation %d is not modelled: it runs outside control", (int)op & FUTEX_CMD_MASK);
      return raw_syscall(SYS_futex, uaddr, op, val, timeout, uaddr2, val3);
  }
}

}  // namespace heddle::rt

using namespace heddle::rt;

// libstdc++'s atomic waits call syscall(SYS_futex, ...) by name: a direct way in, cheaper than the trap.
HEDDLE_EXPORT long syscall(long number, ...) {
  va_list args;
  va_start(args, number);
  long a = va_arg(args, long), b = va_arg(args, long), c = va_arg(args, long), d = va_arg(args, long);
  long e = va_arg(args, long), f = va_arg(args, long);
  va_end(args);
  if (number == SYS_futex && modelled()) {
    Inside inside;
    long r = futex_model(a, b, c, d, e, f, pc_site(__builtin_return_address(0)));
    if (r >= 0) return r;
    errno = (int)-r;
    return -1;
  }
  using Function = long (*)(long, ...);
  if (auto function = reinterpret_cast<Function>(real.syscall)) return function(number, a, b, c, d, e, f);
  long r = raw_syscall(number, a, b, c, d, e, f);
  if ((unsigned long)r < -4095ul) return r;
  errno = (int)-r;
  return -1;
}
