// What the scheduler and the hooks write into the region: events, choices, stacks, code addresses.
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

struct Recording {
  uint32_t detail;
  uint64_t head;        // events written
  uint64_t ring_mask;   // capacity - 1
  HeddleEvent* ring;
  HeddleSegment* choices;
  uint64_t choice_capacity;
};
extern Recording recording;

void recording_start();

/// Appends an event and returns its number. Reads back the value of the thread's last write first.
uint64_t emit(Thread& t, const HeddleEvent& event);
/// The value of the thread's last recorded write, if it is still unknown. Call before anything else of the thread is visible.
void read_back(Thread& t);
inline void read_back_if_needed(Thread& t) {
  if (HEDDLE_UNLIKELY(t.written_event)) read_back(t);
}
/// Everything written so far becomes visible to the host.
void publish_events();
HeddleEvent& event_at(uint64_t number);

void record_step(Thread& t, bool new_segment);
uint32_t size_log2(uint32_t size);

}  // namespace heddle::rt
