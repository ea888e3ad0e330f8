// Event kinds: ONE table for the pass, the runtime, the trace and the viewers.
//   X(NAME, text, properties)
// To add a kind: docs/howto/add-event.md. Numbers are part of the trace format: append, never reorder.
#pragma once
#include <stdint.h>

enum {                       // properties
  HEDDLE_P_ACCESS = 1u,      // a memory access of the program (has size and, at that detail, a value)
  HEDDLE_P_WRITE = 2u,       // may change memory or a primitive
  HEDDLE_P_SYNC = 4u,        // always a scheduling point
  HEDDLE_P_MAYBLOCK = 8u,    // leaving the thread here can be forced: then it is no preemption
  HEDDLE_P_YIELDS = 16u,     // leaving the thread here is never a preemption
  HEDDLE_P_NOTE = 32u,       // never a scheduling point
};

#define HEDDLE_EVENT_KINDS(X)                                                         \
  X(NONE, "none", HEDDLE_P_NOTE)                                                      \
  X(READ, "read", HEDDLE_P_ACCESS)                                                    \
  X(WRITE, "write", HEDDLE_P_ACCESS | HEDDLE_P_WRITE)                                 \
  X(READ_RANGE, "read range", HEDDLE_P_ACCESS)                                        \
  X(WRITE_RANGE, "write range", HEDDLE_P_ACCESS | HEDDLE_P_WRITE)                     \
  X(ATOMIC_LOAD, "atomic load", HEDDLE_P_ACCESS | HEDDLE_P_SYNC)                      \
  X(ATOMIC_STORE, "atomic store", HEDDLE_P_ACCESS | HEDDLE_P_SYNC | HEDDLE_P_WRITE)   \
  X(ATOMIC_RMW, "atomic rmw", HEDDLE_P_ACCESS | HEDDLE_P_SYNC | HEDDLE_P_WRITE)       \
  X(ATOMIC_CAS, "atomic cas", HEDDLE_P_ACCESS | HEDDLE_P_SYNC | HEDDLE_P_WRITE)       \
  X(FENCE, "fence", HEDDLE_P_SYNC)                                                    \
  X(BRANCH, "branch", HEDDLE_P_NOTE)                                                  \
  X(THREAD_CREATE, "create", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                          \
  X(THREAD_START, "start", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                            \
  X(THREAD_EXIT, "exit", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                              \
  X(THREAD_JOIN, "join", HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)          \
  X(THREAD_DETACH, "detach", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                          \
  X(THREAD_CANCEL, "cancel", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                          \
  X(MUTEX_LOCK, "lock", HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)           \
  X(MUTEX_TRYLOCK, "trylock", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                         \
  X(MUTEX_UNLOCK, "unlock", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                           \
  X(RW_RDLOCK, "rdlock", HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)          \
  X(RW_WRLOCK, "wrlock", HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)          \
  X(RW_TRYLOCK, "rw trylock", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                         \
  X(RW_UNLOCK, "rw unlock", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                           \
  X(COND_WAIT, "wait", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                                \
  X(COND_WAKE, "woken", HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)           \
  X(COND_SIGNAL, "signal", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                            \
  X(COND_BROADCAST, "broadcast", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                      \
  X(SEM_WAIT, "sem wait", HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)         \
  X(SEM_TRYWAIT, "sem trywait", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                       \
  X(SEM_POST, "sem post", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                             \
  X(BARRIER_ARRIVE, "barrier arrive", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                 \
  X(BARRIER_LEAVE, "barrier leave", HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK) \
  X(ONCE, "once", HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)                 \
  X(ONCE_DONE, "once done", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                           \
  X(SPIN_LOCK, "spin lock", HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)       \
  X(SPIN_TRYLOCK, "spin trylock", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                     \
  X(SPIN_UNLOCK, "spin unlock", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                       \
  X(FUTEX_WAIT, "futex wait", HEDDLE_P_SYNC)                                          \
  X(FUTEX_WOKEN, "futex woken", HEDDLE_P_SYNC | HEDDLE_P_MAYBLOCK)                    \
  X(FUTEX_WAKE, "futex wake", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                         \
  X(YIELD, "yield", HEDDLE_P_SYNC | HEDDLE_P_YIELDS)                                  \
  X(SLEEP, "sleep", HEDDLE_P_SYNC | HEDDLE_P_MAYBLOCK | HEDDLE_P_YIELDS)              \
  X(IO_LEAVE, "i/o", HEDDLE_P_SYNC)                                                   \
  X(IO_RETURN, "i/o done", HEDDLE_P_SYNC | HEDDLE_P_MAYBLOCK | HEDDLE_P_YIELDS)       \
  X(FORK, "fork", HEDDLE_P_SYNC)                                                      \
  X(SIGNAL, "signal handler", HEDDLE_P_NOTE)                                          \
  X(MALLOC, "malloc", HEDDLE_P_NOTE)                                                  \
  X(FREE, "free", HEDDLE_P_NOTE)                                                      \
  X(INPUT, "input", HEDDLE_P_NOTE)                                                    \
  X(EXIT, "process exit", HEDDLE_P_SYNC)                                              \
  X(BUDGET, "spin budget", HEDDLE_P_SYNC | HEDDLE_P_YIELDS)                           \
  X(SUSPEND, "suspend", HEDDLE_P_SYNC | HEDDLE_P_MAYBLOCK)                           \
  X(IO_CALL, "system call", HEDDLE_P_SYNC | HEDDLE_P_WRITE)                           \
  X(HANDOVER, "hand-over", HEDDLE_P_SYNC)                                             \
  X(HEAP, "heap", HEDDLE_P_SYNC)                                                      \
  X(TIMER, "timer", HEDDLE_P_NOTE)                                                    \
  X(CALL, "call", HEDDLE_P_NOTE)

enum HeddleEventKind {
#define HEDDLE_X(name, text, props) HEDDLE_EV_##name,
  HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
      HEDDLE_EV_COUNT
};

static inline uint32_t heddle_event_properties(uint32_t kind) {
  static const uint8_t table[] = {
#define HEDDLE_X(name, text, props) props,
      HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
  };
  return kind < HEDDLE_EV_COUNT ? table[kind] : 0;
}

// One raw event as the runtime writes it and the host reads it. Host side it is stored by columns.
struct HeddleEvent {
  uint64_t address;  // what was accessed; never compared between executions
  uint64_t value;    // valid with HEDDLE_EF_VALUE; range kinds: the length; CALL: the result; see
                     // heddle_is_early_timeout()
  uint32_t site;     // static site id, or HEDDLE_SITE_PC | hash of a code address; 0 none
  uint32_t stack;    // index into the run's stack table; 0 none
  uint32_t object;   // sync object (index in the run's object table); 0 for plain accesses
  uint16_t thread;   // index in the run's thread table
  uint8_t kind;
  uint8_t flags;     // HEDDLE_EF_*
};

enum {
  HEDDLE_EF_SIZE = 7u,     // log2 of the access size in the low 3 bits
  HEDDLE_EF_POINT = 8u,    // this event is a step of the schedule (a scheduling point was passed)
  HEDDLE_EF_VALUE = 16u,   // `value` is valid
  HEDDLE_EF_FAILED = 32u,  // trylock/cas failed, timed wait timed out, branch not taken
  HEDDLE_EF_PREEMPTED = 64u,  // the thread was preempted just before this event: it was enabled when another was chosen
  HEDDLE_EF_SWITCH = 128u,    // first event of a segment
};
#define HEDDLE_SITE_PC 0x80000000u

// A sleep or a wait that ended early by a choice of the schedule (HEDDLE_TIME_LOOSE): `value` is the virtual ns that
// were skipped.
static inline int heddle_is_early_timeout(const struct HeddleEvent* e) {
  switch (e->kind) {
    case HEDDLE_EV_SLEEP:
    case HEDDLE_EV_COND_WAKE:
    case HEDDLE_EV_MUTEX_LOCK:
    case HEDDLE_EV_RW_RDLOCK:
    case HEDDLE_EV_RW_WRLOCK:
    case HEDDLE_EV_SEM_WAIT: case HEDDLE_EV_FUTEX_WOKEN:
      return (e->flags & HEDDLE_EF_VALUE) != 0 && e->value != 0;
    case HEDDLE_EV_THREAD_JOIN:  // else the value is the thread that was joined
      return (e->flags & HEDDLE_EF_VALUE) != 0 && (e->flags & HEDDLE_EF_FAILED) != 0 && e->value != 0;
    case HEDDLE_EV_IO_RETURN: case HEDDLE_EV_TIMER: return (e->flags & HEDDLE_EF_VALUE) != 0 && e->value != 0;
    default: return 0;
  }
}

#ifdef __cplusplus
static_assert(sizeof(HeddleEvent) == 32, "events are written as they lie in memory");
#endif
