// The threads of protocol_test.cc, and what the code under test needs of the rest of the runtime. Compiled as that
// code is: with protocol_atomics_test.h in front.
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <algorithm>

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
extern uint32_t forbidden;

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
void set_owner(Object& o, Thread* t) { o.owner = t ? t->index + 1 : 0; }
bool log_has_room(HeddleAreaId, uint64_t) { return true; }
void* map_memory(size_t bytes) { return calloc(bytes, 1); }  // of tables that are filled before the search
void* arena_allocate(size_t bytes) { return calloc(bytes, 1); }

namespace protocol {
namespace {

constexpr uint64_t kAddresses[kCells] = {1 << kStripeBits, 2 << kStripeBits};
HeddleRegion the_region;
pthread_mutex_t the_mutex;
void* const kCaller = &the_mutex;  // a place that locks and unlocks

// Another thread may go on before the hook, and between the hook and its access.
void access(Thread& t, uint32_t action, uint32_t cell, bool write) {
  protocol_access(nullptr);
  --t.budget;
  const auto* at = reinterpret_cast<const volatile void*>(kAddresses[cell]);
  write ? own<true>(t, at, 8) : own<false>(t, at, 8);
  protocol_access(&world.cells[cell]);
  world.seen[t.index][action] = t.sync.cancel_seen;
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

// As sync/mutex.cc does, but that a thread that waits looks whether it has to, instead of being woken.
void lock(Thread& t) {
  if (lock_freely(&the_mutex, HEDDLE_EV_MUTEX_LOCK, kCaller)) return;
  Object& o = world.mutex;
  baton_take(t);
  let_model_decide(o);
  o.lock_waits++;
  while (o.owner) {
    const uint32_t depth = baton_lose(t);
    while (o.owner) protocol_pause();
    baton_regain(t, depth);
  }
  o.lock_waits--;
  log_step(t, Op{HEDDLE_EV_MUTEX_LOCK, 0, 1, 0}, 0);
  set_owner(o, &t);
  baton_give(t);
}

void unlock(Thread& t) {
  if (unlock_freely(&the_mutex, kCaller)) return;
  Object& o = world.mutex;
  baton_take(t);
  let_model_decide(o);
  log_step(t, Op{HEDDLE_EV_MUTEX_UNLOCK, 0, 1, 0}, 0);
  end_term(t);
  set_owner(o, nullptr);
  free_if_plain(o);
  baton_give(t);
}

void cancel(Thread& t) {
  baton_take(t);
  {
    const NoFreeSteps none;
    log_step(t, Op{HEDDLE_EV_THREAD_CANCEL, 0, 0, 0}, 0);
    world.threads[(t.index + 1) % used_threads].sync.cancel_requested = 1;
  }
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
    case 'l': return lock(t);
    case 'u': return unlock(t);
    case 'c': return cancel(t);
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
  remember_site(kCaller, 1);
  if (index == 0) free_if_plain(world.mutex);
  if (index + 1 == used_threads) raise_floor(8);  // so that steps of different threads can get equal numbers
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
  region->area[HEDDLE_AREA_STEPS] = {(uint64_t)(world.log - (char*)region), kLogBytes};
  world.mutex.address = (uint64_t)&the_mutex;
  world.mutex.kind = HEDDLE_EV_MUTEX_LOCK;
  world.mutex.id = 1;
  world.mutex.free_word = kModelDecides;
  forbidden = 0;
  stripe_states = world.stripes;
  clock_floor = {};
  baton_clock = {};
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
          {&clock_floor, sizeof clock_floor},
          {&baton_clock, sizeof baton_clock},
          {&step_log, sizeof step_log},
          {&forbidden, sizeof forbidden}};
}

static bool somebody_forbids() {
  return std::any_of(programs, programs + used_threads,
                     [](const std::string& p) { return p.find('c') != std::string::npos; });
}

bool others_look_at(const volatile void* at) {
  const auto within = [at](const auto& value) { return (uint64_t)at - (uint64_t)&value < sizeof value; };
  for (const Thread& t : world.threads)
    if (at == &t.recording.in_free_step) return somebody_forbids();
  // Others may go on before its next operation: nobody could tell that from here.
  if (running() != kNobody && at == &world.threads[running()].recording.step_clock) return false;
  return !at || within(world.threads) || within(world.stripes) || within(world.cells) || within(world.mutex) ||
         within(baton) || ((within(forbidden) || within(clock_floor)) && somebody_forbids());
}

std::vector<NumberedStep> logged() {
  std::vector<NumberedStep> steps;
  uint64_t last[kMostThreads] = {};
  for (const char* at = world.log; at < world.log + kLogBytes;) {
    const auto* chunk = reinterpret_cast<const HeddleChunk*>(at);
    if (!chunk->owner) break;
    at += chunk->bytes;
    const uint32_t thread = chunk->owner - 1;
    for (auto* word = reinterpret_cast<const uint64_t*>(chunk + 1); (const char*)word < at && *word;) {
      NumberedStep s{};
      uint64_t delta;
      word += heddle_read_entry(*word, word + 1, &s.step, &delta);
      s.step.thread = (uint16_t)thread;
      s.number = last[thread] += delta;
      steps.push_back(s);
    }
  }
  std::stable_sort(steps.begin(), steps.end(), [](const NumberedStep& a, const NumberedStep& b) {
    return a.number != b.number ? a.number < b.number : a.step.thread < b.step.thread;
  });
  return steps;
}

}  // namespace protocol
}  // namespace heddle::rt

using namespace heddle::rt;

extern "C" long heddle_raw_syscall(long number, long, long, long, long, long, long) {
  if (number == SYS_nanosleep) protocol_pause();
  return 0;  // membarrier(): accesses are in one order anyway
}
