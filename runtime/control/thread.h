// A thread of the program under control. Index 0 is main. Owned by the scheduler; fields belong to the baton holder.
// What other subsystems keep of a thread are structs of their own, declared in their thread_state.h, which includes
// nothing of the runtime.
#pragma once
#include "abi/record_hooks.h"
#include "runtime/control/thread_state.h"
#include "runtime/detector/thread_state.h"
#include "runtime/hooks/thread_state.h"
#include "runtime/io/thread_state.h"
#include "runtime/parallel/thread_state.h"
#include "runtime/rt.h"
#include "runtime/strategy/thread_state.h"
#include "runtime/sync/thread_state.h"

namespace heddle::rt {

/// Can the pending operation be executed now? Pure; asked by whoever holds the baton.
using Ready = bool (*)(void* argument);

struct Op {
  uint32_t kind = HEDDLE_EV_NONE;
  uint32_t site = 0;
  uint32_t object = 0;
  uint64_t address = 0;
  // Accesses: bytes, saturated; the end of a thread: a robust mutex that it holds; join: 1: only tries.
  uint32_t size = 0;
};

struct Calls;  // calls.h

/// What each hook and each step touches comes first.
struct Thread : HeddleHot {  // `budget`: hooks left before a forced point; `request`: what a hook has to do
  uint32_t index;
  uint32_t state;  // HeddleThreadState
  // What it waits to do (state PENDING).
  Op op;
  Ready ready;  // null: always
  void* argument;
  HeddleThreadInfo* info;  // in the region
  uint32_t in_runtime;     // > 0: WithoutSignals
  bool enabled;            // at the last rebuild
  bool takes_handlers;     // it waits where a signal's handler may run in place of its step,
  bool handlers_first;     // ... and was chosen for that
  bool finished;
  uint32_t name;           // a hash of its name: equal in every run
  uint32_t children;       // created so far
  uint64_t stack_low, stack_high;
  Calls* calls;            // null: it never was in code that tells
  EventState events;
  ExpiryState expiry;
  ProgressState progress;
  HookState hooks;
  DetectorState detector;
  StrategyState strategy;
  SyncState sync;
  IoState io;
  BackendState backend;
  RecordingState recording;
};

extern constinit thread_local Thread* self __attribute__((tls_model("initial-exec")));
/// This is a child of clone(CLONE_VM) in the memory of its creator, which waits until it is gone; `self` is null
/// meanwhile.
extern constinit thread_local bool lent __attribute__((tls_model("initial-exec")));

/// What inline checks of record clones see of `self`; never null.
extern constinit thread_local HeddleHot* hot __attribute__((tls_model("initial-exec")));
extern HeddleHot nobody;  // every check calls, and the hook finds that `self` is null
inline void set_self(Thread* t) {
  self = t;
  hot = t ? t : &nobody;
}

Thread& thread(uint32_t index);
uint32_t thread_count();

/// Points of the thread are no opportunities for signals meanwhile: their number, or their place, would differ between
/// a recording and its replay. Nor does it take free steps, or ask for the time or random bytes as the program would.
class WithoutSignals {
 public:
  explicit WithoutSignals(Thread& t) : thread_(t) { thread_.in_runtime++; }
  ~WithoutSignals() { thread_.in_runtime--; }
  WithoutSignals(const WithoutSignals&) = delete;

 private:
  Thread& thread_;
};

}  // namespace heddle::rt
