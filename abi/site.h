// A site: a static program point that can matter (access, branch). One descriptor per site, emitted by the pass
// into section "heddle_sites" of each object. The sites of one function are one array, which begins with a
// HeddleSiteHead. The array of a function that the linker merges is in a COMDAT group, so that duplicates vanish at
// link, and the head with them: each site names an instruction in the bitcode of the object that it came from.
//
// Shared by the pass (writes), the runtime (reads `state`, owns it at run time) and the host (reads from the ELF file).
// String fields are SELF-RELATIVE: (const char*)&field + field; 0 means "none". No run-time relocations are needed.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define HEDDLE_SITE_SECTION "heddle_sites"
#define HEDDLE_SITE_ABI 2

struct HeddleSite {
  uint32_t state;     // runtime-owned (HEDDLE_SITE_*)
  int32_t function;   // linkage name of the enclosing function (before cloning)
  int32_t file;       // absolute path where the debug info allows it
  int32_t variable;   // source expression of what is accessed ("counter", "q->head", "buf[]"); best effort
  uint32_t line;      // 0: no debug info
  uint16_t column;
  uint8_t kind;       // enum HeddleEventKind (abi/events.h)
  uint8_t size;       // bytes accessed; 0 for ranges and branches
  uint32_t flags;     // HEDDLE_SITE_VOLATILE ...
  union {
    uint32_t ordinal;  // in the file: of its instruction in the bitcode (abi/bitcode_frame.h), from 1; 0: unknown
    uint32_t id;       // of a descriptor that the runtime made, for code without a site table
  };
};

// The first 32 bytes of an array of sites: no site, though it is counted like one. `function` and `flags` are where
// HeddleSite has them.
struct HeddleSiteHead {
  uint32_t state;     // 0
  int32_t function;   // linkage name of the function (before cloning)
  uint64_t bitcode;   // hash in the frame of the module that the ordinals refer to
  uint32_t count;     // sites that follow
  uint32_t unused;    // 0
  uint32_t flags;     // HEDDLE_SITE_HEAD, HEDDLE_SITE_WRAPPER
  uint32_t reserved;  // 0
};

enum {                       // HeddleSite::state
  HEDDLE_SITE_POINT = 1u,    // accesses here are scheduling points (a race was seen here, or points=all)
  HEDDLE_SITE_COUNTED = 2u,  // an access that is counted while its thread may be waiting, as atomics and branches are:
                             // volatile, or of code without a site table. In the file
};
enum {  // HeddleSite::flags
  HEDDLE_SITE_VOLATILE = 1u,
  HEDDLE_SITE_VPTR = 2u,      // a vtable pointer access
  HEDDLE_SITE_BACKEDGE = 4u,  // a branch that can close a loop
  // Its outcome 0, 1: round again in a loop that only reads, so that only another thread can end it.
  HEDDLE_SITE_IDLE_FIRST = 8u,
  HEDDLE_SITE_IDLE_SECOND = 16u,
  HEDDLE_SITE_ENDLESS = 32u,  // round again in a loop without an exit
  HEDDLE_SITE_LASTS = 64u,  // a branch of a function that can run long without a loop, or in one that no branch closes
  // Its outcome 0, 1: round again in a loop whose end depends on nothing that the loop changes: it waits for another
  // thread.
  HEDDLE_SITE_WAITS_FIRST = 128u,
  HEDDLE_SITE_WAITS_SECOND = 256u,
  HEDDLE_SITE_CALL = 1024u,      // no hook: a call of a synchronisation primitive, or of a function that wraps one;
                                 // `variable` is the object
  HEDDLE_SITE_WRAPPER = 2048u,   // of a head: the function only wraps a primitive (pass/wrappers.h)
  HEDDLE_SITE_COMPUTES = 4096u,  // ... as ADVANCES, and one that calls no unknown code, waits for nobody and does
                                 // nothing atomic: not counted, no hook in light clones
  HEDDLE_SITE_ADVANCES = 512u,   // closes a loop whose end depends on something that the loop changes: it computes
  HEDDLE_SITE_HEAD = 8192u,      // this is a HeddleSiteHead
};

#ifdef __cplusplus
static_assert(sizeof(HeddleSite) == 32, "the runtime divides by shifting");
static_assert(sizeof(HeddleSiteHead) == sizeof(HeddleSite));
static_assert(offsetof(HeddleSiteHead, function) == offsetof(HeddleSite, function));
static_assert(offsetof(HeddleSiteHead, flags) == offsetof(HeddleSite, flags));
#endif
