// What the scheduler and the hooks write into the region: events, choices, stacks, code addresses.
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

struct Recording {
  uint32_t detail;
  uint64_t head;        // events written
  uint64_t complete;    // of these: cannot change any more
  uint64_t ring_mask;   // capacity - 1
  HeddleEvent* ring;
  HeddleSegment* choices;
  uint64_t choice_capacity;
  HeddleSegment* segment;  // the current one; one of nobody's while none fits
};
extern Recording recording;

void recording_start();

/// Return addresses of the calling thread's stack from `return_address` on. Returns how many.
using FrameWalk = unsigned(uint64_t* frames, unsigned limit, void* return_address);
extern FrameWalk* walk_tables;  // of the preload build, whose callers keep no frame pointers; else null

/// Appends an event and returns its number. Reads back the value of the thread's last write first. The host may see
/// every event before this one: the thread is past the operation of its last step.
uint64_t emit(Thread& t, const HeddleEvent& event);
/// The same from inside an operation (libc allocates in pthread_create, say): the step's event can still get its value.
uint64_t emit_inside(Thread& t, const HeddleEvent& event);
/// The value of the thread's last recorded write, if it is still unknown. Call first in everything that the program
/// calls, with the frame address of the function that it called: below that, what was a variable may be anything by
/// now.
void read_back(Thread& t, const void* frame);
inline void read_back_if_needed(Thread& t, const void* frame) {
  if (HEDDLE_UNLIKELY(t.events.written)) read_back(t, frame);
}
#define HEDDLE_THIS_FRAME __builtin_frame_address(0)
#define HEDDLE_CALLERS_FRAME (*(void**)__builtin_frame_address(0))
/// Everything written so far becomes visible to the host.
void publish_events();
HeddleEvent& event_at(uint64_t number);

void record_step(Thread& t, bool new_segment);
struct View;
/// run.observe: `next` was chosen; `handler`: to run a signal's handler.
void record_decision(const View& view, const Thread& next, bool could_stay, bool handler);
uint32_t size_log2(uint32_t size);

void stacks_start();  // part of recording_start(), in runs that keep stacks
/// A new site for code that has no table of sites: an access of `kind` and `size` before `pc`. Also the host is told.
/// The number is the same in every run.
uint32_t publish_pc(uint64_t pc, uint32_t kind, uint32_t size);

}  // namespace heddle::rt
