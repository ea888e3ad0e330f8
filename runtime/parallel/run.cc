// A recording, its replay and a lifted run, from the start to the end: what the table has for them
// (control/discipline.h).
#include "runtime/control/backend.h"
#include "runtime/control/control.h"
#include "runtime/control/io.h"
#include "runtime/parallel/free_steps.h"
#include "runtime/parallel/owners.h"
#include "runtime/parallel/parallel.h"
#include "runtime/parallel/terms.h"

namespace heddle::rt {

void recorded_start() {
  parallel = by_places = true;
  backend = &parallel_backend;
  record_hooks_start();
}

void followed_start() {
  by_places = control.follows = true;
  record_hooks_start();
}

void lifted_start() {
  control.follows = true;
  record_hooks_start();
}

void recorded_first_thread(Thread& main) {
  main.recording.safe = 0;
  parallel_start();
}

void followed_first_thread(Thread& main) {
  control.always_ask = true;  // each step has a stop of its own
  set_stop(main, 0);
}

void recorded_thread_made(Thread& t) {
  t.recording.safe = 1;
  begin_term(t, 1);
  record_hooks_new_thread(t);
}

void lifted_thread_made(Thread& t) {
  t.sync.cancel_seen = 1;
  record_hooks_new_thread(t);
}

// It has one thread, and no baton.
void recorded_fork() {
  let_model_decide_all();
  parallel = false;
}

void recorded_stay_inside() {
  if (self) baton_take(*self);
}

void recorded_process_fails(HeddleFailureKind kind) {
  if (!self) return;
  baton_take(*self);  // and never given back
  if (kind == HEDDLE_FAIL_DEADLOCK)
    end_free_steps();
  else
    log_last_places(self);
}

void recorded_process_exits() { log_last_places(self); }

void followed_begin_owning(Thread& t, const void*, size_t, bool) {
  io_deliver_signals();
  t.in_runtime++;  // until end_owning(), as in WithoutSignals: a handler would lose it again
}

void recorded_begin_owning(Thread& t, const void* p, size_t bytes, bool write) {
  followed_begin_owning(t, p, bytes, write);
  own_with_baton(t, (uint64_t)p, bytes, write);
}

void end_owning(Thread& t) { t.in_runtime--; }

void recorded_enter(Thread& t, const Op& op) {
  parallel_come_back(t);
  parallel_enter(t, op);
}

uint64_t recorded_now() { return control.now = real_elapsed(); }

}  // namespace heddle::rt
