// What the pass calls in an instrumented clone. Everything here is C, exported by the executable that carries the
// runtime, and only ever called when that module's `__heddle_active` is non-zero.
//
//   source:     x = *p;                 counter.fetch_add(1);
//   clone:      __heddle_read4(p, &S);  __heddle_atomic(p, 4, ATOMIC_RMW, seq_cst, seq_cst, &S);
//               x = *p;                 old = atomicrmw add p, 1
//                                       __heddle_atomic_done(p, old, 1, &S);
//
// A hook is called BEFORE its access. Under control no other thread runs between the return of the hook and the next
// hook (or modelled call) of the same thread, so the access itself stays native code.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "site.h"

#ifdef __cplusplus
extern "C" {
#endif

void __heddle_read1(const volatile void* address, struct HeddleSite* site);
void __heddle_read2(const volatile void* address, struct HeddleSite* site);
void __heddle_read4(const volatile void* address, struct HeddleSite* site);
void __heddle_read8(const volatile void* address, struct HeddleSite* site);
void __heddle_read16(const volatile void* address, struct HeddleSite* site);
void __heddle_write1(const volatile void* address, struct HeddleSite* site);
void __heddle_write2(const volatile void* address, struct HeddleSite* site);
void __heddle_write4(const volatile void* address, struct HeddleSite* site);
void __heddle_write8(const volatile void* address, struct HeddleSite* site);
void __heddle_write16(const volatile void* address, struct HeddleSite* site);
// Other sizes, aggregates, vectors, memcpy/memmove/memset (one call per side), byval arguments. Length may be 0.
void __heddle_read_range(const volatile void* address, size_t length, struct HeddleSite* site);
void __heddle_write_range(const volatile void* address, size_t length, struct HeddleSite* site);

// Before calls of libc functions on strings. `stops` holds two characters (low bytes): the string ends at the first of
// either, or after `limit` bytes. Bad pointers are the call's business: a hook looks only as far as there is memory.
void __heddle_read_string(const volatile void* address, size_t limit, uint32_t stops, struct HeddleSite* site);
// What strcmp(address, other) reads at `address`; `folded`: strcasecmp.
void __heddle_read_prefix(const volatile void* address, const volatile void* other, size_t limit, uint32_t folded,
                          struct HeddleSite* site);
// A copy of `string` and its end go to `address`; `appended`: to the end of the string there. Null: nothing.
void __heddle_write_string(const volatile void* address, const volatile void* string, size_t limit, uint32_t appended,
                           struct HeddleSite* site);
// `bytes` in an array of `count` iovecs, or in that of the msghdr at `vector`: before they are sent, after they were
// received.
enum { HEDDLE_VECTOR_WRITTEN = 1u, HEDDLE_VECTOR_MESSAGE = 2u };
void __heddle_vector(const volatile void* vector, size_t count, int64_t bytes, uint32_t flags, struct HeddleSite* site);

// Before a call that writes at most `length` bytes there and is told of by another hook behind it: recordings take the
// memory over first.
void __heddle_will_write(const volatile void* address, size_t length, struct HeddleSite* site);

// Around a call of a function that another module defines, which may have no hooks: recordings let others have the
// thread's memory meanwhile. `state` is a byte of that call, 0 at first. An exception leaves without the second.
void __heddle_call_out(uint8_t* state);
void __heddle_call_in(void);

// Before free(address) where a sanitizer's allocator is at work.
void __heddle_freeing(const volatile void* address);

// Atomic instructions: `kind` is HEDDLE_EV_ATOMIC_*; orders are the C ABI's __ATOMIC_* numbers; `failure_order` for
// cas.
void __heddle_atomic(const volatile void* address, uint32_t size, uint32_t kind, uint32_t order, uint32_t failure_order,
                     struct HeddleSite* site);
// After the instruction: `value` is what was in memory before it (load, rmw, cas) or what was stored (store), the low
// 64 bits of it; `success` is 0 only for a failed cas.
void __heddle_atomic_done(const volatile void* address, uint64_t value, uint32_t success, struct HeddleSite* site);
void __heddle_fence(uint32_t order, struct HeddleSite* site);

// Before a conditional branch or switch: `outcome` is the successor's number. Also on unconditional loop back-edges
// (0). Called at those that can close a loop (HEDDLE_SITE_BACKEDGE), that spin, or that are in a function which calls
// itself (HEDDLE_SITE_LASTS); at others if HEDDLE_ACTIVE_BRANCHES is in `__heddle_active`.
void __heddle_branch(uint32_t outcome, struct HeddleSite* site);

// After a call of a function that may have no hooks: its result, if HEDDLE_ACTIVE_CALLS is in `__heddle_active`; 0 if
// HeddleSite::size is 0. An exception leaves without.
void __heddle_call_result(uint64_t value, struct HeddleSite* site);

// Values that come from outside: the pass replaces rdtsc/rdtscp/rdrand/rdseed intrinsics by these.
uint64_t __heddle_rdtsc(struct HeddleSite* site);
uint64_t __heddle_rdrand(struct HeddleSite* site);

enum {
  HEDDLE_ACTIVE = 1,
  HEDDLE_ACTIVE_BRANCHES = 2,
  HEDDLE_ACTIVE_RECORD = 4,  // record clones (record_hooks.h)
  HEDDLE_ACTIVE_CALLS = 8
};  // bits of `__heddle_active`

// Called by a constructor that the pass puts (linkonce) in each linked module (executable or shared library).
// `active` is that module's `__heddle_active`; sites are [first, last). The reference is WEAK: in a host without the
// runtime it is null, the constructor does nothing, and the module runs its plain clones.
void __heddle_register_module(uint32_t* active, struct HeddleSite* first, struct HeddleSite* last);

// The functions of that module with light clones (abi/light.h), [first, last): called before, weak too. Null: there are
// none.
struct HeddleLight;
void __heddle_register_lights(struct HeddleLight* first, struct HeddleLight* last);

#ifdef __cplusplus
}
#endif
