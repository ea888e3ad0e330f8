// The threads of protocol_test.cc, and what the code under test needs of the rest of the runtime. Compiled as that
// code is: with protocol_atomics_test.h in front.
#include <stdlib.h>
#include <sys/syscall.h>

#include "abi/hooks.h"
#include "runtime/control/control.h"
#include "runtime/control/recording.h"
#include "runtime/detector/detector.h"
#include "runtime/model/object.h"
#include "runtime/parallel/free_steps.h"
#include "runtime/parallel/owners.h"
#include "runtime/parallel/parallel.h"
#include "runtime/parallel/protocol_world_test.h"
#include "runtime/parallel/step_log.h"
#include "runtime/parallel/terms.h"
#include "runtime/parallel/waiters.h"

namespace heddle::rt {

extern OwnLine<uint32_t> baton;

constinit thread_local Thread* self = nullptr;
constinit thread_local HeddleHot* hot = nullptr;
HeddleHot nobody;
HeddleRegion* region;
Control control;
Recording recording;
Object* all_objects;
constinit Discipline discipline{};
namespace detector {
bool in_run;
}

Thread* next_waiter() { return nullptr; }  // nobody waits in the model: its predicates are other threads' business
bool io_no_signal_is_due(const Thread&) { return true; }
void io_signal_opportunity_passed(Thread&) {}
void set_owner(Object&, Thread*) {}
bool log_has_room(HeddleAreaId, uint64_t) { return true; }
void* map_memory(size_t bytes) { return calloc(bytes, 1); }  // of tables that stay empty: no thread locks a mutex
void* arena_allocate(size_t bytes) { return calloc(bytes, 1); }

namespace protocol {
namespace {

constexpr uint64_t kAddresses[kCells] = {1 << kStripeBits, 2 << kStripeBits};
HeddleRegion the_region;

// Another thread may go on before the hook, and between the hook and its access.
void access(Thread& t, uint32_t action, uint32_t cell, bool write) {
  protocol_access(nullptr);
  --t.budget;
  const auto* at = reinterpret_cast<const volatile void*>(kAddresses[cell]);
  write ? own<true>(t, at, 8) : own<false>(t, at, 8);
  protocol_access(&world.cells[cell]);
  if (write)
    world.cells[cell] = value_of(t.index, action);
  else
    world.read[t.index][action] = world.cells[cell];
}

void step(Thread& t, uint32_t kind) {
  baton_take(t);
  log_step(t, Op{kind, 0, 0, 0}, 0);
  end_term(t);
  baton_give(t);
}

void system_call(Thread& t, uint32_t action) {
  baton_take(t);
  own_with_baton(t, kAddresses[0], 8, true);
  log_step(t, Op{HEDDLE_EV_IO_CALL, 0, 0, 0}, 0);
  protocol_access(&world.cells[0]);
  world.cells[0] = value_of(t.index, action);
  baton_give(t);
}

void act(Thread& t, uint32_t action, char letter) {
  static uint8_t state_of_call;
  switch (letter) {
    case 'r': return access(t, action, 0, false);
    case 'w': return access(t, action, 0, true);
    case 'R': return access(t, action, 1, false);
    case 'W': return access(t, action, 1, true);
    case 's': return step(t, HEDDLE_EV_MUTEX_UNLOCK);
    case 'k': return system_call(t, action);
    case 'o':
      __heddle_call_out(&state_of_call);
      protocol_access(nullptr);
      return __heddle_call_in();
    default: __builtin_trap();
  }
}

}  // namespace

void start(uint32_t index) {
  Thread& t = world.threads[index];
  baton_regain(t, 1);
  log_step(t, Op{HEDDLE_EV_THREAD_START, 0, 0, 0}, 0);
  baton_give(t);
}

void execute(uint32_t index) {
  Thread& t = world.threads[index];
  const std::string& program = programs[index];
  for (uint32_t i = 0; i < program.size(); i++) act(t, i, program[i]);
  baton_take(t);
  log_step(t, Op{HEDDLE_EV_THREAD_EXIT, 0, 0, 0}, 0);
  t.finished = true;
  baton_finish(t);
}

void begin(const std::vector<std::string>& wanted) {
  used_threads = (uint32_t)wanted.size();
  for (uint32_t i = 0; i < used_threads; i++) programs[i] = wanted[i];
  world = World{};
  the_region = HeddleRegion{};
  region = &the_region;
  region->area[HEDDLE_AREA_STEPS] = {(uint64_t)((char*)world.steps - (char*)region), 1u << 30};
  stripe_states = world.stripes;
  shared_count = {};
  baton = {};
  control = Control{};
  control.threads = world.threads;
  control.thread_count = used_threads;
  parallel = by_places = true;
  step_log = {};
  step_log_start();
  free_steps_start(plain_code_start());
  for (uint32_t i = 0; i < used_threads; i++) {
    Thread& t = world.threads[i];
    t.index = i;
    t.info = &infos[i];
    t.budget = kHookBudget;
    t.state = HEDDLE_T_RUNNING;
    t.recording.safe = 1;
    begin_term(t, 1);
  }
}

std::vector<Region> variables() {
  return {{&world, sizeof world},
          {&baton, sizeof baton},
          {&shared_count, sizeof shared_count},
          {&step_log, sizeof step_log},
          {&control.steps, sizeof control.steps},
          {&region->result.steps, sizeof region->result.steps}};
}

bool others_look_at(const volatile void* at) {
  const auto within = [at](const auto& value) { return (uint64_t)at - (uint64_t)&value < sizeof value; };
  for (const Thread& t : world.threads)
    if (at == &t.recording.in_free_step) return false;  // whoever forbids free steps does: no program does
  return !at || within(world.threads) || within(world.stripes) || within(world.cells) || within(baton) ||
         within(shared_count) || within(region->result.steps);
}

uint64_t steps_logged() { return region->result.steps; }

}  // namespace protocol
}  // namespace heddle::rt

using namespace heddle::rt;

extern "C" long heddle_raw_syscall(long number, long, long, long, long, long, long) {
  if (number == SYS_nanosleep) protocol_pause();
  return 0;  // membarrier(): accesses are in one order anyway
}
