// Event kinds: ONE table for the pass, the runtime, the trace, the analyses and the viewers.
//   X(NAME, text, class, object, properties)    HEDDLE_C_<class>, HEDDLE_O_<object>, HEDDLE_P_<...>
// What an event means is asked of its class, object and properties; whoever lists kinds will miss the next one.
// To add a kind: docs/howto/add-event.md. Numbers of kinds are part of the trace format: append, never reorder. Numbers
// of classes and objects are stored nowhere.
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

// What an event does to the order of events (src/order).
enum HeddleEventClass {
  HEDDLE_C_OTHER,           // nothing
  HEDDLE_C_READ,            // of memory, plain
  HEDDLE_C_WRITE,
  HEDDLE_C_ATOMIC,          // a load or store of memory, or both, that synchronises
  HEDDLE_C_ALLOCATE,        // memory becomes fresh
  HEDDLE_C_FREE,            // ... and nobody's
  HEDDLE_C_ACQUIRE,         // takes a lock for the thread alone, behind a wait if need be
  HEDDLE_C_TRY_ACQUIRE,     // the same without a wait: it can fail
  HEDDLE_C_SHARED_ACQUIRE,  // takes a lock together with others
  HEDDLE_C_TRY_EITHER,      // for the thread alone or together with others: the value says which (1: alone)
  HEDDLE_C_RELEASE,         // gives a lock back
  HEDDLE_C_WAIT,            // begins to wait for a signal; of a condition: gives the mutex back that the value names
  HEDDLE_C_SIGNAL,          // ends waits, now or later; of a barrier: the value is how many make a round
  HEDDLE_C_AWAIT,           // comes behind signals; of a condition: takes the mutex back
  HEDDLE_C_TRY_AWAIT,       // the same without a wait: it can fail
  HEDDLE_C_SUSPEND,         // waits for the handler of a signal
  HEDDLE_C_CREATE,          // makes a thread; the value is its index
  HEDDLE_C_START,           // the first event of a thread
  HEDDLE_C_END,             // the last one
  HEDDLE_C_JOIN,            // waits for the end of the thread whose index is the address
  HEDDLE_C_DETACH,          // a thread that nobody will join
  HEDDLE_C_PROCESS,         // concerns all threads
  HEDDLE_C_CALL,            // a system call that others can notice, or that notices them
  HEDDLE_C_LEAVE,           // the same in two parts
  HEDDLE_C_RETURN,
  HEDDLE_C_HANDLER,         // the handler of a signal runs
  HEDDLE_C_COUNT
};

enum HeddleObjectClass {  // the synchronisation object that an event of the kind uses
  HEDDLE_O_NONE,
  HEDDLE_O_MUTEX,
  HEDDLE_O_RWLOCK,
  HEDDLE_O_SPINLOCK,
  HEDDLE_O_CONDITION,
  HEDDLE_O_SEMAPHORE,
  HEDDLE_O_BARRIER,
  HEDDLE_O_ONCE,
  HEDDLE_O_FUTEX,
  HEDDLE_O_COUNT
};

#define HEDDLE_EVENT_KINDS(X)                                                                                        \
  X(NONE, "none", HEDDLE_C_OTHER, HEDDLE_O_NONE, HEDDLE_P_NOTE)                                                      \
  X(READ, "read", HEDDLE_C_READ, HEDDLE_O_NONE, HEDDLE_P_ACCESS)                                                     \
  X(WRITE, "write", HEDDLE_C_WRITE, HEDDLE_O_NONE, HEDDLE_P_ACCESS | HEDDLE_P_WRITE)                                 \
  X(READ_RANGE, "read range", HEDDLE_C_READ, HEDDLE_O_NONE, HEDDLE_P_ACCESS)                                         \
  X(WRITE_RANGE, "write range", HEDDLE_C_WRITE, HEDDLE_O_NONE, HEDDLE_P_ACCESS | HEDDLE_P_WRITE)                     \
  X(ATOMIC_LOAD, "atomic load", HEDDLE_C_ATOMIC, HEDDLE_O_NONE, HEDDLE_P_ACCESS | HEDDLE_P_SYNC)                     \
  X(ATOMIC_STORE, "atomic store", HEDDLE_C_ATOMIC, HEDDLE_O_NONE, HEDDLE_P_ACCESS | HEDDLE_P_SYNC | HEDDLE_P_WRITE)  \
  X(ATOMIC_RMW, "atomic rmw", HEDDLE_C_ATOMIC, HEDDLE_O_NONE, HEDDLE_P_ACCESS | HEDDLE_P_SYNC | HEDDLE_P_WRITE)      \
  X(ATOMIC_CAS, "atomic cas", HEDDLE_C_ATOMIC, HEDDLE_O_NONE, HEDDLE_P_ACCESS | HEDDLE_P_SYNC | HEDDLE_P_WRITE)      \
  X(FENCE, "fence", HEDDLE_C_OTHER, HEDDLE_O_NONE, HEDDLE_P_SYNC)                                                    \
  X(BRANCH, "branch", HEDDLE_C_OTHER, HEDDLE_O_NONE, HEDDLE_P_NOTE)                                                  \
  X(THREAD_CREATE, "create", HEDDLE_C_CREATE, HEDDLE_O_NONE, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                         \
  X(THREAD_START, "start", HEDDLE_C_START, HEDDLE_O_NONE, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                            \
  X(THREAD_EXIT, "exit", HEDDLE_C_END, HEDDLE_O_NONE, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                                \
  X(THREAD_JOIN, "join", HEDDLE_C_JOIN, HEDDLE_O_NONE, HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)           \
  X(THREAD_DETACH, "detach", HEDDLE_C_DETACH, HEDDLE_O_NONE, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                         \
  X(THREAD_CANCEL, "cancel", HEDDLE_C_PROCESS, HEDDLE_O_NONE, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                        \
  X(MUTEX_LOCK, "lock", HEDDLE_C_ACQUIRE, HEDDLE_O_MUTEX, HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)        \
  X(MUTEX_TRYLOCK, "trylock", HEDDLE_C_TRY_ACQUIRE, HEDDLE_O_MUTEX, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                  \
  X(MUTEX_UNLOCK, "unlock", HEDDLE_C_RELEASE, HEDDLE_O_MUTEX, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                        \
  X(RW_RDLOCK, "rdlock", HEDDLE_C_SHARED_ACQUIRE, HEDDLE_O_RWLOCK,                                                   \
    HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)                                                              \
  X(RW_WRLOCK, "wrlock", HEDDLE_C_ACQUIRE, HEDDLE_O_RWLOCK, HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)      \
  X(RW_TRYLOCK, "rw trylock", HEDDLE_C_TRY_EITHER, HEDDLE_O_RWLOCK, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                  \
  X(RW_UNLOCK, "rw unlock", HEDDLE_C_RELEASE, HEDDLE_O_RWLOCK, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                       \
  X(COND_WAIT, "wait", HEDDLE_C_WAIT, HEDDLE_O_CONDITION, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                            \
  X(COND_WAKE, "woken", HEDDLE_C_AWAIT, HEDDLE_O_CONDITION, HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)      \
  X(COND_SIGNAL, "signal", HEDDLE_C_SIGNAL, HEDDLE_O_CONDITION, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                      \
  X(COND_BROADCAST, "broadcast", HEDDLE_C_SIGNAL, HEDDLE_O_CONDITION, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                \
  X(SEM_WAIT, "sem wait", HEDDLE_C_AWAIT, HEDDLE_O_SEMAPHORE, HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)    \
  X(SEM_TRYWAIT, "sem trywait", HEDDLE_C_TRY_AWAIT, HEDDLE_O_SEMAPHORE, HEDDLE_P_SYNC | HEDDLE_P_WRITE)              \
  X(SEM_POST, "sem post", HEDDLE_C_SIGNAL, HEDDLE_O_SEMAPHORE, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                       \
  X(BARRIER_ARRIVE, "barrier arrive", HEDDLE_C_SIGNAL, HEDDLE_O_BARRIER, HEDDLE_P_SYNC | HEDDLE_P_WRITE)             \
  X(BARRIER_LEAVE, "barrier leave", HEDDLE_C_AWAIT, HEDDLE_O_BARRIER,                                                \
    HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)                                                              \
  X(ONCE, "once", HEDDLE_C_AWAIT, HEDDLE_O_ONCE, HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK)                 \
  X(ONCE_DONE, "once done", HEDDLE_C_SIGNAL, HEDDLE_O_ONCE, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                          \
  X(SPIN_LOCK, "spin lock", HEDDLE_C_ACQUIRE, HEDDLE_O_SPINLOCK, HEDDLE_P_SYNC | HEDDLE_P_WRITE | HEDDLE_P_MAYBLOCK) \
  X(SPIN_TRYLOCK, "spin trylock", HEDDLE_C_TRY_ACQUIRE, HEDDLE_O_SPINLOCK, HEDDLE_P_SYNC | HEDDLE_P_WRITE)           \
  X(SPIN_UNLOCK, "spin unlock", HEDDLE_C_RELEASE, HEDDLE_O_SPINLOCK, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                 \
  X(FUTEX_WAIT, "futex wait", HEDDLE_C_WAIT, HEDDLE_O_FUTEX, HEDDLE_P_SYNC)                                          \
  X(FUTEX_WOKEN, "futex woken", HEDDLE_C_AWAIT, HEDDLE_O_FUTEX, HEDDLE_P_SYNC | HEDDLE_P_MAYBLOCK)                   \
  X(FUTEX_WAKE, "futex wake", HEDDLE_C_SIGNAL, HEDDLE_O_FUTEX, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                       \
  X(YIELD, "yield", HEDDLE_C_OTHER, HEDDLE_O_NONE, HEDDLE_P_SYNC | HEDDLE_P_YIELDS)                                  \
  X(SLEEP, "sleep", HEDDLE_C_OTHER, HEDDLE_O_NONE, HEDDLE_P_SYNC | HEDDLE_P_MAYBLOCK | HEDDLE_P_YIELDS)              \
  X(IO_LEAVE, "i/o", HEDDLE_C_LEAVE, HEDDLE_O_NONE, HEDDLE_P_SYNC)                                                   \
  X(IO_RETURN, "i/o done", HEDDLE_C_RETURN, HEDDLE_O_NONE, HEDDLE_P_SYNC | HEDDLE_P_MAYBLOCK | HEDDLE_P_YIELDS)      \
  X(FORK, "fork", HEDDLE_C_PROCESS, HEDDLE_O_NONE, HEDDLE_P_SYNC)                                                    \
  X(SIGNAL, "signal handler", HEDDLE_C_HANDLER, HEDDLE_O_NONE, HEDDLE_P_NOTE)                                        \
  X(MALLOC, "malloc", HEDDLE_C_ALLOCATE, HEDDLE_O_NONE, HEDDLE_P_NOTE)                                               \
  X(FREE, "free", HEDDLE_C_FREE, HEDDLE_O_NONE, HEDDLE_P_NOTE)                                                       \
  X(INPUT, "input", HEDDLE_C_OTHER, HEDDLE_O_NONE, HEDDLE_P_NOTE)                                                    \
  X(EXIT, "process exit", HEDDLE_C_PROCESS, HEDDLE_O_NONE, HEDDLE_P_SYNC)                                            \
  X(BUDGET, "spin budget", HEDDLE_C_OTHER, HEDDLE_O_NONE, HEDDLE_P_SYNC | HEDDLE_P_YIELDS)                           \
  X(SUSPEND, "suspend", HEDDLE_C_SUSPEND, HEDDLE_O_NONE, HEDDLE_P_SYNC | HEDDLE_P_MAYBLOCK)                          \
  X(IO_CALL, "system call", HEDDLE_C_CALL, HEDDLE_O_NONE, HEDDLE_P_SYNC | HEDDLE_P_WRITE)                            \
  X(HANDOVER, "hand-over", HEDDLE_C_OTHER, HEDDLE_O_NONE, HEDDLE_P_SYNC)                                             \
  X(HEAP, "heap", HEDDLE_C_OTHER, HEDDLE_O_NONE, HEDDLE_P_SYNC)                                                      \
  X(TIMER, "timer", HEDDLE_C_OTHER, HEDDLE_O_NONE, HEDDLE_P_NOTE)

enum HeddleEventKind {
#define HEDDLE_X(name, text, event_class, object, props) HEDDLE_EV_##name,
  HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
      HEDDLE_EV_COUNT
};

static inline uint32_t heddle_event_properties(uint32_t kind) {
  static const uint8_t table[] = {
#define HEDDLE_X(name, text, event_class, object, props) props,
      HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
  };
  return kind < HEDDLE_EV_COUNT ? table[kind] : 0;
}

static inline enum HeddleEventClass heddle_event_class(uint32_t kind) {
  static const uint8_t table[] = {
#define HEDDLE_X(name, text, event_class, object, props) event_class,
      HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
  };
  return kind < HEDDLE_EV_COUNT ? (enum HeddleEventClass)table[kind] : HEDDLE_C_OTHER;
}

static inline enum HeddleObjectClass heddle_object_class(uint32_t kind) {
  static const uint8_t table[] = {
#define HEDDLE_X(name, text, event_class, object, props) object,
      HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
  };
  return kind < HEDDLE_EV_COUNT ? (enum HeddleObjectClass)table[kind] : HEDDLE_O_NONE;
}

// One raw event as the runtime writes it and the host reads it. Host side it is stored by columns.
struct HeddleEvent {
  uint64_t address;  // what was accessed; never compared between executions
  uint64_t value;    // valid with HEDDLE_EF_VALUE; range kinds: the length; see heddle_is_early_timeout()
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
