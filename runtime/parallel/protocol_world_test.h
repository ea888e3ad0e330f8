// The world of protocol_test.cc: threads that execute little programs by the runtime's own code, in memory that can
// be copied and put back.
//
// A program has a letter per action:
//   r w   reads, writes memory of the first stripe, at a hook        R W   of the second
//   s     a step after which others may take what the thread has (an unlock)
//   k     a step of the runtime that writes to the first stripe for the program (a system call)
//   o     a call of code without hooks
//   l u   locks and unlocks the mutex, without the baton if it can
//   c     a step that asks the next thread to end, as pthread_cancel() does: each step of that one sees it or not
#pragma once
#include <string>
#include <vector>

#include "runtime/control/thread.h"
#include "runtime/model/object.h"

namespace heddle::rt::protocol {

constexpr uint32_t kMostThreads = 3, kMostActions = 8, kCells = 2, kLogBytes = 12 * HEDDLE_CHUNK;

constexpr uint32_t kNobody = ~0u;

enum class State : uint32_t { kStarted, kRuns, kPauses, kSleeps, kEnded };

struct Fiber {
  void* stack_pointer;
  State state;
  bool has_limit;          // it sleeps with a time-out
  const uint32_t* word;    // it sleeps on
};

/// All that the threads change, but their stacks and the few variables of the code itself.
struct World {
  Thread threads[kMostThreads];
  alignas(8) char log[kLogBytes];
  Object mutex;
  uint64_t stripes[4];
  uint64_t cells[kCells];                         // the program's memory, a stripe apart for the protocol
  uint64_t read[kMostThreads][kMostActions];      // what each action has read
  uint32_t seen[kMostThreads][kMostActions];      // whether it had seen that it shall end
  Fiber fibers[kMostThreads];
};
extern World world;
extern HeddleThreadInfo infos[kMostThreads];  // not part of it: nobody reads what the threads write there
extern uint32_t used_threads;
extern std::string programs[kMostThreads];

void begin(const std::vector<std::string>& wanted);
/// The value that the action writes.
constexpr uint64_t value_of(uint32_t thread, uint32_t action) { return thread * 16 + action + 1; }

// Called by the code under test, on the stack of a fiber.
void wait_for_turn(State state);
uint32_t running();

/// The body of a thread (protocol_program_test.cc): its first step, and after that its program and its last step.
void start(uint32_t thread);
void execute(uint32_t thread);

/// Null: in general. Else false: no other thread reads it before the end of the search, or nobody writes it.
bool others_look_at(const volatile void* at);

/// What the code under test has beside the world.
struct Region {
  void* at;
  size_t bytes;
};
std::vector<Region> variables();

struct NumberedStep {
  uint64_t number;
  HeddleStep step;
};
/// The log, in its order.
std::vector<NumberedStep> logged();

}  // namespace heddle::rt::protocol
