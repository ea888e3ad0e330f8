// Between the record clones of the pass and the runtime: what inline checks of a recording read, and what they call if
// a check fails.
//
// A record clone (pass/record_clone.h) groups its accesses. In front of each group it compares the state of each stripe
// of memory that the group touches with the thread's own word, in line; only if one differs is the runtime called. So a
// thread that works on its own memory pays some instructions per group. Hooks are numbered per region of code, not per
// hook:
//
//   region:  budget -= K; if (budget <= 0) __heddle_record_enter()       K: hooks in the region
//   hook j:  if (a state differs) __heddle_record(site, shape, addresses)    its number: as if the budget were budget +
//   K - j
//
// Within one passage of its region each hook is passed at most once, so that numbers are unique, and they grow along
// every path.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The beginning of the runtime's Thread; inline code knows these offsets.
struct HeddleHot {
  uint64_t check_word;    // what the state of a stripe must be that the thread may write; no state at all while it must
                          // call at each hook
  uint64_t check_shared;  // states 1 .. check_shared may be read, too: shared stripes that it knows of; 0 while it must
                          // call at each hook
  uint64_t* states;      // of all stripes: that of address a at byte (uint32_t)a >> 3 & ~7
  int32_t budget;        // hooks left before a forced point
  union {
    uint32_t any;        // a hook has something to do
    struct {
      uint8_t asked;     // cross-thread: kRequest*, by the holder of the baton
      uint8_t outside;   // by itself: in code without hooks (plain_code.cc)
      uint8_t armed;     // by itself: a place is near, each hook of a record clone calls
    };
  } request;
};
enum {
  HEDDLE_HOT_CHECK = 0,
  HEDDLE_HOT_SHARED = 8,
  HEDDLE_HOT_STATES = 16,
  HEDDLE_HOT_BUDGET = 24,
  HEDDLE_HOT_REQUEST = 28
};
enum { HEDDLE_STATE_READ_ONLY = 1 };  // of a state: its owner has only read

/// A group touches at most so many spans of memory, each of at most so many bytes.
enum { HEDDLE_RECORD_SLOTS = 4, HEDDLE_RECORD_SPAN = 64 };
/// Hooks in one region, at most.
enum { HEDDLE_RECORD_HOOKS = 4000 };

// The shape of a group: 16 bits `ahead` (hooks of the region behind it), 8 bits number of accesses, 8 bits number of
// slots, then 8 bits per slot.
enum {
  HEDDLE_SHAPE_ACCESSES = 16,
  HEDDLE_SHAPE_SLOTS = 24,
  HEDDLE_SHAPE_SLOT = 32,
  HEDDLE_SHAPE_WRITTEN = 128
};  // a slot: bytes (1 to 64), | written

// Sites of record clones depend on what the optimiser did, so they lie apart from the others, and their ids are of
// another space: HEDDLE_SITE_RECORD | number, from 0, in order of module registration. Flags of such a site: where its
// access lies in the spans of the hook that tells of it.
#define HEDDLE_SITE_RECORD 0x40000000u

// HeddleRun::recorded. LIFTED: the record clones and the inputs of a recording, under ordinary control: threads do not
// stop at places, and the points are those of a hunt, racy record sites among them (src/lift).
enum HeddleRecorded { HEDDLE_RECORDED_NOT, HEDDLE_RECORDED_BY_PLACES, HEDDLE_RECORDED_LIFTED };
#define HEDDLE_RECORD_SITE_SECTION "heddle_record_sites"
enum { HEDDLE_SITE_SLOT = 17, HEDDLE_SITE_OFFSET = 19 };  // shifts: 2 bits, which span; 6 bits, bytes from its start

// The next three keep all general registers but r11 (LLVM's preserve_mostcc).
/// A group: `site` is that of its first access, and those of the others follow.
void __heddle_record(struct HeddleSite* site, uint64_t shape, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
/// The budget ends in the region that begins here.
void __heddle_record_enter(void);
/// A hook without memory, where a loop is entered again; `ahead` as above.
void __heddle_record_poll(uint32_t ahead);

/// By the constructor of each module that has record clones: *offset becomes that of the pointer to the thread's
/// HeddleHot, from %fs:0.
void __heddle_register_record(int64_t* offset);
/// By the same, before the module itself: the bounds of its section of record sites.
void __heddle_register_record_sites(struct HeddleSite* first, struct HeddleSite* last);

#ifdef __cplusplus
}
#endif
