// What a recording, or the replay of one, keeps of a thread: `recording` in Thread. Fields belong to the thread itself,
// which runs without the baton between two steps; `cross-thread`: others read or write them meanwhile. Their order
// keeps what other threads write (`wanted` ...) out of the cache line that the thread writes at each step (`safe` ...).
#pragma once
#include <stdint.h>

namespace heddle::rt {

struct LatestSite;  // free_steps.cc

constexpr uint32_t kRememberedTerms = 31;

struct RecordingState {
  uint32_t safe;  // cross-thread: it executes nothing of the program; it needs the baton to go on, or has to say so
                  // (baton.cc)
  uint32_t hook_place;       // where it is in a hook, as its next step would say, while it may wait there; 0: elsewhere
  uint32_t in_free_step;     // cross-thread: it takes a step without the baton (free_steps.h)
  uint32_t deferred_signal;  // that came in the middle of one
  char deferred_info[128];   // its siginfo_t
  uint32_t wanted;           // cross-thread: threads that wait, without the baton, until it stops at a hook
  uint32_t answers;          // cross-thread: hand-overs without the baton
  uint32_t answers_before;   // what they were when the holder of the baton last asked
  uint64_t owner_word;       // the state of a stripe that is its own in this term
  uint64_t seen_shared;      // it may read shared stripes up to this number
  uint64_t last_step;        // the number of its last step (step_log.h)
  uint64_t step_clock;       // cross-thread: its next step has at least this number
  uint32_t of_number;        // steps since its last one that began a number
  uint64_t *log_next, *log_end;  // where its next entry goes, and where that chunk ends
  uint32_t log_chunk;        // bytes of its next chunk
  struct alignas(64) {
    uint64_t now, ended_by[kRememberedTerms];
  } terms;                   // cross-thread (terms.h)
  LatestSite* latest_sites;  // [kLatestSites]: where it took steps without the baton
  uint32_t baton_depth, outside_depth;
  uint64_t read_from, read_bytes;  // by the last hook, if that read a range ...
  int32_t read_at;                 // ... the budget there
  bool was_outside;                // before it entered the runtime
  bool stops_here;                 // replay of a recording: the end of the budget is a recorded stop
  uint8_t* call_out;               // the state of its last call into code without hooks (plain_code.cc)
  void* heap;                      // its blocks (heap.cc)
};

}  // namespace heddle::rt
