// What the models of pthread_create, join, cancel and once keep of a thread: `sync` in Thread.
#pragma once
#include <pthread.h>
#include <stdint.h>

namespace heddle::rt {

struct RunningOnce;  // once.cc

struct SyncState {
  pthread_t handle;
  bool detached, joined;
  void* (*entry)(void*);
  void* entry_argument;
  void* result;  // of the start routine
  uint32_t cancel_requested, cancel_state, cancel_type;
  // It acts on a request: always, but where only one from before its last step counts, the order that a replay knows.
  uint32_t cancel_seen;
  RunningOnce* running_once;
};

}  // namespace heddle::rt
