// HeddleInput.flags, as far as the host looks at it; the rest is the runtime's (runtime/io/stream.h).
#pragma once
#include <stdint.h>

#define HEDDLE_INPUT_LEFT 1u      // the call left control here: when it returned was up to the world
#define HEDDLE_INPUT_UNDER_WAY 512u  // the process ended before the call had a result
#define HEDDLE_INPUT_OUT 1024u    // at the end of the data: what the call carried out of the program
#define HEDDLE_CLOCK_JUMPED \
  1u  // HeddleInput.number of HEDDLE_IN_CLOCK: time jumped because nobody could run; no real time passed
#define HEDDLE_CLOCK_TIMER \
  2u  // ... or because a timer of the program expired early, by a choice of the schedule; data: HeddleTimerJump
#define HEDDLE_CLOCK_ENDS 3u       // ... no time: the signal of a timer ended the program here
#define HEDDLE_CLOCK_BURNT 4u      // ... while all who could run did nothing but spin: CPU time passed, too
#define HEDDLE_INPUT_RANDOM 32768u  // random bytes, which a controlled run makes from its seed
#define HEDDLE_INPUT_ORDER 0x1c0u  // none of these: the answer has nothing to do with what the program did before

// HeddleInput.thread: whose records. Two streams belong to no thread. Their numbers are those of the first version,
// when no run had more than 4,096 threads, and are left out in the numbers of threads.
enum {
  HEDDLE_STREAM_CLOCK = 4096u,  // time that passed while threads were outside
  HEDDLE_STREAM_END = 4097u,    // what is compared at the end of the process
  HEDDLE_OTHER_STREAMS = 2u,
};
static inline uint32_t heddle_input_stream(uint32_t thread) {
  return thread < HEDDLE_STREAM_CLOCK ? thread : thread + HEDDLE_OTHER_STREAMS;
}

// The address of events IO_LEAVE and IO_RETURN, and of a thread that waits in one: which call it is. 0: not known.
#define HEDDLE_CALL_WORD(number) (0x10000u | (uint64_t)(number))
#define HEDDLE_CALL_OF(word) ((word) & 0xffffu)

struct HeddleTimerJump {
  uint64_t step;    // the jump comes before the choice for it
  uint32_t thread;  // index of the thread that armed the timer ...
  uint32_t site;    // ... there
};
