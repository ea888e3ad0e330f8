// Heddle's runtime: the code that runs inside the program under test.
//
// Ground rules
//  - No malloc, no stdio, no libc locks. Memory comes from arena.h. System calls go through raw_syscall() only: it lies
//  in
//    the one code range that Syscall User Dispatch lets through (runtime/io/).
//  - Under control exactly one thread runs at a time ("holds the baton"); all state of the runtime belongs to the
//  holder
//    and needs no lock. The exceptions are marked `cross-thread` and are atomic.
//  - After a thread has handed the baton over it touches nothing of ours any more until it is chosen again.
//  - Nothing here prints to the program's descriptors. What the user must hear goes to note() (an area of the region).
//  - No hidden nondeterminism: no addresses, kernel ids, real time or uninitialised bytes in any decision.
//  - Code that calls back into the program (once, thread start) may see exceptions pass: keep such frames trivial (*.c
//  files).
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "abi/events.h"
#include "abi/region.h"
#include "abi/site.h"

#define HEDDLE_LIKELY(x) __builtin_expect(!!(x), 1)
#define HEDDLE_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))

extern "C" long heddle_raw_syscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);

namespace heddle::rt {

template <class... A>
inline long raw_syscall(long number, A... a) {
  return heddle_raw_syscall(number, (long)a...);
}

enum class Mode : uint32_t {
  kIdle,        // nobody listens: real primitives, plain clones
  kServer,      // the fork server, before main
  kControlled,  // one thread at a time
  kAbandoned,  // a forked child of a controlled process, or after a fatal report: real primitives, hooks return at once
};
extern Mode mode;
extern bool preloaded;        // this is the preload build (runtime/preload/)
extern HeddleRegion* region;  // null when idle

inline bool controlled() { return HEDDLE_UNLIKELY(mode == Mode::kControlled); }

template <class T>
inline T* area(HeddleAreaId id) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(region) + region->area[id].offset);
}
template <class T>
inline uint64_t area_capacity(HeddleAreaId id) {
  return region->area[id].size / sizeof(T);
}

/// Alone in its cache line: threads of a recording would wait for each other's writes to what lies beside it.
template <class T>
struct alignas(64) OwnLine {
  T value;
};

/// Instrumented code or a thread is about to run: in the server, this is where runs fork off. Otherwise nothing.
/// (runtime/start/)
void begin_run();

/// Our own bug: records the text, kills the process group of this run. Stays on in release.
[[noreturn]] void check_failed(const char* what, const char* file, int line);
#define HEDDLE_CHECK(x) \
  (HEDDLE_LIKELY(x) ? (void)0 : ::heddle::rt::check_failed(#x, __FILE__, __LINE__))

/// A line for the user about something control cannot see ("escape"), kept once per text. printf-like subset: %s %d %u
/// %x.
void note(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Futexes of our own (never modelled).
void futex_wait(uint32_t* word, uint32_t value, uint64_t timeout_ns = 0, bool shared = false);
void futex_wake(uint32_t* word, int count, bool shared = false);

/// The kernel did not give memory: the run cannot go on.
void* map_memory(size_t bytes);
/// Before anything else of ours is mapped: the program's own limits of memory are not about it (runtime/io/limits.cc).
void count_own_mapping(uint64_t bytes, bool shared = false);

}  // namespace heddle::rt
