// Rules of this file: everything here runs on the baton holder, except where marked cross-thread. After
// backend->leave_to() or once another thread was woken, nothing of ours may be touched before this thread is chosen
// again.
#include "runtime/control/scheduler.h"

#include <sys/syscall.h>
#include <time.h>

#include "abi/guide.h"
#include "runtime/arena.h"
#include "runtime/control/backend.h"
#include "abi/record_hooks.h"
#include "runtime/control/control.h"
#include "runtime/control/debugger.h"
#include "runtime/control/discipline.h"
#include "runtime/control/expiry.h"
#include "runtime/control/quiet.h"
#include "runtime/control/recording.h"
#include "runtime/control/stay.h"
#include "runtime/control/fail.h"
#include "runtime/control/io.h"
#include "runtime/control/strategy.h"
#include "runtime/table.h"

namespace heddle::rt {

thread_local Thread* self __attribute__((tls_model("initial-exec"))) = nullptr;
HeddleHot nobody;
thread_local HeddleHot* hot __attribute__((tls_model("initial-exec"))) = &nobody;
thread_local bool lent __attribute__((tls_model("initial-exec"))) = false;
const Backend* backend;
Control control;

Thread& thread(uint32_t index) { return control.threads[index]; }
uint32_t thread_count() { return control.thread_count; }

void model_changed() {
  control.dirty = true;
  region->result.enabled = 0;  // not known
}
void controlled_word_changed(const void* word) {
  if (control.other_waits | word_waits(word)) model_changed();
}

uint64_t virtual_now() { return control.now; }
uint64_t controlled_cpu_time() {
  return control.steps * kStepTick + control.clock_reads * kClockReadTick + control.burnt;
}
uint64_t controlled_clock() {
  clock_was_read();
  region->result.timed_waits++;
  return control.now += kClockReadTick;
}
uint64_t deadline_in(uint64_t ns) {
  const uint64_t now = discipline.now();
  return ns > (1ull << 62) ? (1ull << 62) : now + ns + 1;
}

bool can_run(Thread& t) {
  if (t.state != HEDDLE_T_PENDING) return false;
  if (!t.ready) return true;
  if (t.ready == word_is_zero ? word_is_zero(t.argument) : t.ready(t.argument)) return true;
  if (t.expiry.deadline && (t.expiry.may_expire || control.now >= t.expiry.deadline)) return true;
  return (t.sync.cancel_requested && cancel_wakes(t)) || io_signal_waits(t);
}

namespace {

void collect_returned() {
  control.seen_returns = __atomic_load_n(&control.returns, __ATOMIC_ACQUIRE);
  if (!control.out) return;
  for (uint32_t i = 0; i < control.thread_count; i++) {
    Thread& t = control.threads[i];
    if (t.state != HEDDLE_T_OUT || !__atomic_load_n(&t.backend.io_returned, __ATOMIC_ACQUIRE)) continue;
    t.backend.io_returned = 0;
    t.state = HEDDLE_T_PENDING;
    t.info->state = HEDDLE_T_PENDING;
    control.out--;
    control.quiet_steps = 0;  // looks taken while it was out say nothing about what it will do now
  }
}

}  // namespace

void rebuild_enabled() {
  collect_returned();
  control.dirty = false;
  uint32_t* enabled = control.enabled;
  uint64_t next_deadline = ~0ull;
  Thread* end = control.threads + control.thread_count;
  if (HEDDLE_UNLIKELY(control.now >= io_timer_due || control.steps >= io_timer_cpu_step)) io_timers_expire();
  for (Thread* t = control.threads; t < end; t++) {
    t->enabled = can_run(*t);
    if (t->enabled)
      *enabled++ = t->index;
    else if (t->state == HEDDLE_T_PENDING && t->expiry.deadline && t->expiry.deadline < next_deadline)
      next_deadline = t->expiry.deadline;
  }
  if (HEDDLE_UNLIKELY(io_timer_due < next_deadline) && (next_deadline != ~0ull || !io_timer_only_ends_program()))
    next_deadline = io_timer_due;
  control.enabled_count = (uint32_t)(enabled - control.enabled);
  region->result.enabled = control.enabled_count;
  control.next_deadline = next_deadline;
}

namespace {

// A replay: the recorded run was cut off (killed, or a hang) while a thread was out in I/O that had not come back.
bool recording_ended_outside() {
  if (!region->run.feed || replay_has_more()) return false;
  for (uint32_t i = 0; i < control.thread_count; i++)
    if (const Thread& t = control.threads[i];
        t.state == HEDDLE_T_PENDING && !t.io.waits_inside &&
        (t.op.kind == HEDDLE_EV_IO_RETURN ||
         (t.op.kind == HEDDLE_EV_HANDOVER && t.ready)))  // in a question (io/stream.cc)
      return true;
  return false;
}

// Without a signal: when one comes is not known to a replay before it is due.
bool could_go_on(Thread& t) {
  return !t.ready || t.ready(t.argument) || (t.expiry.deadline && control.now >= t.expiry.deadline);
}

bool handlers_come_first(Thread& next) {
  return next.takes_handlers && io_signal_comes_first(next) && (!next.ready || next.ready(next.argument));
}

// Accounts for the choice of `next`: it is about to execute its pending operation. `fair`: it is its turn, the strategy
// had no say.
void commit(Thread* current, Thread& next, bool fair) {
  HeddleResult& r = region->result;
  if (HEDDLE_UNLIKELY(signals_at_points) && handlers_come_first(next)) {
    next.handlers_first = true;  // decided here, once: one from outside may come a moment later
    next.op = Op{HEDDLE_EV_SIGNAL, next.op.site, 0, 0};
  }
  const uint32_t object = next.op.object & discipline.compared_object;
  if (HEDDLE_UNLIKELY(control.steps < control.expect_count) &&
      control.expect[control.steps] != heddle_step_hash(next.index, next.op.kind, next.op.site, object))
    diverged(HEDDLE_DIV_OTHER_EVENT, next.index, &next);
  bool new_segment = next.index != control.segment_thread;
  bool preempts = false;
  if (new_segment) {
    if (control.segment_thread != ~0u) {
      Thread& left = control.threads[control.segment_thread];
      preempts = !fair && &left == current && left.enabled && left.state == HEDDLE_T_PENDING &&
                 !left.progress.yielding && !(heddle_event_properties(left.op.kind) & HEDDLE_P_YIELDS) &&
                 could_go_on(left);
      if (preempts) left.info->flags |= kPreempted;
      r.switches++;
      r.preemptions += preempts;
    }
    control.segment_thread = next.index;
    control.segment_start = control.steps;
  }
  const uint64_t skipped = expire_early(next);
  count_step(next, next.op);
  record_step(next, new_segment);
  if (HEDDLE_UNLIKELY(recording.detail >= HEDDLE_DETAIL_POINTS)) {
    HeddleEvent e{};
    e.address = next.op.address;
    e.site = next.op.site;
    e.stack = next.info->pending_stack;
    e.object = next.op.object;
    e.thread = (uint16_t)next.index;
    e.kind = (uint8_t)next.op.kind;
    e.flags = HEDDLE_EF_POINT;
    if (next.info->flags & kPreempted) e.flags |= kEventPreempted;
    if (new_segment) e.flags |= kEventSwitch;
    if (skipped) {
      e.value = skipped;
      e.flags |= HEDDLE_EF_VALUE;
    }
    next.info->flags &= ~kPreempted;
    next.events.last = emit(next, e) + 1;
  } else {
    next.info->flags &= ~kPreempted;
  }
  // A system call costs more than a thousand steps that spin: output without end is not what the bound is for.
  if (HEDDLE_UNLIKELY(next.op.kind == HEDDLE_EV_IO_CALL) && control.max_steps != ~0ull) control.max_steps++;
  if (HEDDLE_UNLIKELY(control.follows)) discipline.chosen(next);
  if (HEDDLE_UNLIKELY(control.steps >= control.max_steps)) fail_livelock(next);
}

// Details of each point are wanted, or each step is compared, or inputs are fed by step.
bool wants_each_step() {
  return recording.detail >= HEDDLE_DETAIL_POINTS || region->run.feed || control.expect_count;
}

// How long the chosen thread may go on without asking: until the strategy wants to be asked, its segment gets too long
// for fairness, or the run does.
void let_stay(const Thread& t, uint64_t ask_again) {
  uint64_t fair = control.segment_start + kFairSegment + 1;
  uint64_t until = ask_again < fair ? ask_again : fair;
  if (HEDDLE_UNLIKELY(io_timer_early < until)) until = io_timer_early;
  if (HEDDLE_UNLIKELY(io_timer_cpu_step < until)) until = io_timer_cpu_step;
  if (HEDDLE_UNLIKELY(control.jump_step < until)) until = control.jump_step;
  if (const uint64_t half = control.max_steps / 2; control.steps <= half && half < until)
    until = half + 1;                                                          // fair from there on
  if (HEDDLE_UNLIKELY(signals_at_points) && io_signal_has_come(t)) until = 0;  // at its next point
  control.stay_until = control.always_ask || t.sync.cancel_requested || many_looks() ? 0
                       : until < control.max_steps                              ? until
                                                                                : control.max_steps - 1;
}

}  // namespace

/// Who runs next; null: nobody can, but a thread is out in I/O and will come back.
Thread* choose(Thread* current) {
  control.now += io_time_to_pass(control.steps);
  time_may_pass();
  if (HEDDLE_UNLIKELY(control.steps >= io_timer_early)) io_timer_comes_early();
  if (HEDDLE_UNLIKELY(control.dirty || control.now >= control.next_deadline || control.steps >= io_timer_cpu_step ||
                      __atomic_load_n(&control.returns, __ATOMIC_ACQUIRE) != control.seen_returns))
    rebuild_enabled();
  if (HEDDLE_UNLIKELY(control.follows)) discipline.before_choice();
  while (HEDDLE_UNLIKELY(control.enabled_count == 0)) {
    if (control.out) return nullptr;
    if (control.next_deadline == ~0ull) {
      if (recording_ended_outside()) diverged(HEDDLE_DIV_SCHEDULE_ENDED, ~0u, current);
      if (!io_timer_may_fire()) fail_deadlock();
      rebuild_enabled();
      continue;
    }
    // A replay would not jump: it takes who waits for a signal, or in a system call, for one who could run.
    if (HEDDLE_UNLIKELY(io_signals_may_come() || control.inside_waits || io_timer_due != ~0ull))
      io_time_jumped(control.steps, control.next_deadline - control.now);
    control.now = control.next_deadline;
    rebuild_enabled();
  }
  if (HEDDLE_UNLIKELY(control.quiet_steps > kQuietBeforeJump)) {
    let_time_pass_for_spinners();
    if (current && too_quiet()) {
      if (!io_let_others_act()) fail_livelock(*current);
      control.quiet_steps -= 2000;
    }
  }
  View view{control.enabled, control.enabled_count, current ? current->index : ~0u, current && current->enabled, false,
            control.steps, 0};
  if (current &&
      (current->progress.yielding || (waits_for_time(*current) && !current->expiry.expires_at_once) ||
       current->progress.unproductive > kSpinLimit || control.steps - control.segment_start > kFairSegment)) {
    view.yielding = true;
    current->progress.unproductive = 0;
    if (control.steps - control.segment_start > kFairSegment) control.segment_start = control.steps;
  }
  const bool fair = schedule_must_be_fair();
  control.fair_steps = fair ? control.fair_steps + 1 : 0;
  uint32_t fair_thread;
  if (HEDDLE_UNLIKELY(fair) && strategy != &replay_strategy) {
    fair_thread = fair_choice();
    view.enabled = &fair_thread;
    view.count = 1;
  }
  uint32_t k = strategy->choose(view);
  if (HEDDLE_UNLIKELY(k == kDiverged)) {
    uint32_t expected = replay_expected_thread();
    Thread* stuck = expected < control.thread_count ? &control.threads[expected] : nullptr;
    if (stuck && control.out && stuck->state == HEDDLE_T_OUT) return nullptr;  // the schedule waits for its I/O
    diverged(expected == ~0u ? HEDDLE_DIV_SCHEDULE_ENDED : HEDDLE_DIV_THREAD_NOT_ENABLED, expected,
             stuck ? stuck : current);
  }
  Thread& next = control.threads[view.enabled[k]];
  if (HEDDLE_UNLIKELY(control.observe)) {
    const bool could_stay =
        view.current_enabled && !view.yielding && !(heddle_event_properties(current->op.kind) & HEDDLE_P_YIELDS);
    record_decision(view, next, could_stay, HEDDLE_UNLIKELY(signals_at_points) && handlers_come_first(next));
    if (--control.observe == 0) control.always_ask = wants_each_step();
  }
  commit(current, next, fair);
  let_stay(next, fair ? 0 : view.ask_again);
  if (HEDDLE_UNLIKELY(control.quiet_steps > kQuietIsLivelock - kLastLook)) discipline.watch(next);
  return &next;
}

Wake controlled_turn(Thread& t, const Op& op, Ready ready, void* argument, uint64_t deadline, bool yielding) {
  t.op = op;
  t.ready = ready;
  t.argument = argument;
  t.expiry.deadline = deadline;
  t.progress.yielding = yielding;
  t.expiry.may_expire = deadline && discipline.may_expire_early(t);
  if (t.expiry.may_expire && t.expiry.expires_at_once) t.progress.yielding = false;
  t.state = HEDDLE_T_PENDING;
  t.progress.patience = kHookBudget;
  const bool runnable = !ready || ready(argument);
  if (deadline || t.enabled != runnable) control.dirty = true;
  uint16_t& waits = ready == word_is_zero ? word_waits(argument) : control.other_waits;
  if (ready) waits++;
  HeddleThreadInfo& info = *t.info;
  info.pending_kind = op.kind;
  info.pending_site = op.site;
  info.pending_object = op.object;
  info.pending_address = op.address;
  info.deadline_ns = deadline;
  info.state = HEDDLE_T_PENDING;
  if (HEDDLE_UNLIKELY(!runnable) && !deadline && (heddle_event_properties(op.kind) & HEDDLE_P_MAYBLOCK) &&
      in_lock_cycle(t))
    fail_deadlock();
  Thread* next = choose(&t);
  if (HEDDLE_UNLIKELY(next != &t)) {
    HEDDLE_CAPTURE_REGS(info);
    if (next)
      backend->switch_to(t, *next);
    else
      backend->switch_to_idle(t);
    await_dying_if_any();
  }
  t.state = HEDDLE_T_RUNNING;
  info.state = HEDDLE_T_RUNNING;
  debugger_at_step();
  io_rearm();
  if (ready) waits--;
  if (deadline) control.dirty = true;  // it is no longer among those that wait
  return !ready || ready(argument) ? Wake::kReady : Wake::kTimedOut;
}

namespace {

// A signal that comes while the thread waits: its handler runs as part of this step, then the wait goes on or ends.
__attribute__((noinline)) bool interrupted(Thread& t, const Op& op) {
  const bool restarts = io_run_handlers(t);
  control.dirty = true;
  return op.kind == HEDDLE_EV_SLEEP ||
         (!restarts && (op.kind == HEDDLE_EV_SEM_WAIT || op.kind == HEDDLE_EV_FUTEX_WOKEN));
}

// A signal that came before a step that could be executed: its handler runs in place of it, then the thread waits to be
// chosen again.
__attribute__((noinline)) void run_handlers_first(Thread& t) {
  const auto atomic = t.hooks.atomic;  // the handler has hooks too
  const auto stack = t.info->pending_stack;
  t.handlers_first = false;
  io_run_handlers_first(t);
  t.hooks.atomic = atomic;
  t.info->pending_stack = stack;
  control.dirty = true;
}

Wake pass(Thread& t, const Op& op, Ready ready, void* argument, uint64_t deadline, bool yielding) {
  for (;;) {
    t.takes_handlers = true;
    Wake wake = discipline.turn(t, op, ready, argument, deadline, yielding);
    t.takes_handlers = false;
    if (HEDDLE_UNLIKELY(t.handlers_first)) {
      run_handlers_first(t);
      continue;
    }
    // In a recording a thread that ends is awaited a moment longer than its step says: what came first there comes
    // first here.
    if (ready && discipline.signal_was_recorded(t)) {
      if (interrupted(t, op)) return Wake::kInterrupted;
      continue;
    }
    // It was chosen for the time, or for the signal: the step itself took time too.
    const bool was_due = deadline && control.now >= deadline + discipline.step_tick;
    if (HEDDLE_LIKELY(wake == Wake::kReady) || was_due || !io_signal_waits(t)) return wake;
    if (interrupted(t, op)) return Wake::kInterrupted;
  }
}

}  // namespace

Wake point(const Op& op, Ready ready, void* argument, uint64_t deadline) {
  Thread& t = *self;
  read_back_if_needed(t, HEDDLE_CALLERS_FRAME);
  io_deliver_signals();
  if (HEDDLE_UNLIKELY(recording.detail >= HEDDLE_DETAIL_POINTS))
    t.info->pending_stack = capture_stack(__builtin_frame_address(0), __builtin_return_address(0));
  return pass(t, op, ready, argument, deadline, false);
}

void point_here(Thread& t, const Op& op) {
  if (HEDDLE_UNLIKELY(t.progress.unproductive >
                      kSpinLimit)) {  // a signal may be what the loop waits for; its handler has hooks too
    auto atomic = t.hooks.atomic;
    auto stack = t.info->pending_stack;
    io_deliver_signals();
    t.hooks.atomic = atomic;
    t.info->pending_stack = stack;
  }
  pass(t, op, nullptr, nullptr, 0, false);
  if (HEDDLE_UNLIKELY(t.sync.cancel_requested)) asynchronous_cancellation(t);
}

namespace {
// A yield is a hint: the thread may go on. But who waits for others in a loop of yields must let them run, and an
// enumeration must end: there the first few of each thread are a choice, else a coin decides about the later ones. In
// some runs more of them are: who waits for a time-out may yield several times before.
bool must_give_way(Thread& t) {
  constexpr uint32_t kFreeYields = 2, kMoreFreeYields = 8, kOneIn = 4;
  const HeddleRun& run = region->run;
  const bool more = run.early_timeouts && mix_bits(run_seed(run)) % 2;
  if (t.progress.free_yields < (more ? kMoreFreeYields : kFreeYields)) return t.progress.free_yields++, false;
  return run.strategy == HEDDLE_STRATEGY_PREFIX || mix_bits(run_seed(run) + control.steps * 64 + t.index) % kOneIn != 0;
}
}  // namespace

Wake point_yielding(const Op& op, Ready ready, void* argument, uint64_t deadline) {
  Thread& t = *self;
  read_back_if_needed(t, HEDDLE_CALLERS_FRAME);
  io_deliver_signals();
  if (HEDDLE_UNLIKELY(recording.detail >= HEDDLE_DETAIL_POINTS))
    t.info->pending_stack = capture_stack(__builtin_frame_address(0), __builtin_return_address(0));
  unproductive();
  return pass(t, op, ready, argument, deadline, op.kind != HEDDLE_EV_YIELD || must_give_way(t));
}

Wake point_waiting(const Op& op, Ready ready, void* argument, uint64_t deadline) {
  Thread& t = *self;
  read_back_if_needed(t, HEDDLE_CALLERS_FRAME);
  if (HEDDLE_UNLIKELY(recording.detail >= HEDDLE_DETAIL_POINTS))
    t.info->pending_stack = capture_stack(__builtin_frame_address(0), __builtin_return_address(0));
  return pass(t, op, ready, argument, deadline, true);
}

void last_event_failed() {
  if (uint64_t n = self->events.last) event_at(n - 1).flags |= HEDDLE_EF_FAILED;
}

void last_event_value(uint64_t value) {
  if (uint64_t n = self->events.last) {
    event_at(n - 1).value = value;
    event_at(n - 1).flags |= HEDDLE_EF_VALUE;
  }
}

void leave(const Op& op) {
  point(op);
  discipline.leave(*self);  // a jump: the registers that it keeps are those of its caller's frame, which stays
}

void controlled_leave(Thread& t) {
  t.state = HEDDLE_T_OUT;
  t.info->state = HEDDLE_T_OUT;
  t.backend.io_returned = 0;
  control.out++;
  control.dirty = true;
  HEDDLE_CAPTURE_REGS(*t.info);
  Thread* next = choose(&t);
  backend->leave_to(t, next);
}

void enter(const Op& op) { discipline.enter(*self, op); }

void controlled_enter(Thread& t, const Op& op) {
  t.op = op;
  t.ready = nullptr;
  t.argument = nullptr;
  t.expiry.deadline = 0;
  t.expiry.may_expire = false;
  t.progress.yielding = true;
  t.info->pending_kind = op.kind;
  t.info->pending_site = op.site;
  t.info->pending_object = op.object;
  t.info->pending_stack = 0;
  HEDDLE_CAPTURE_REGS(*t.info);
  backend->enter(t);  // cross-thread: publishes io_returned, then waits
  await_dying_if_any();
  t.state = HEDDLE_T_RUNNING;
  t.info->state = HEDDLE_T_RUNNING;
  t.progress.patience = kHookBudget;
  control.dirty = true;
  debugger_at_step();
  io_rearm();
}

void end_run(int status) {
  mode = Mode::kAbandoned;
  publish_events();
  raw_syscall(SYS_exit_group, status);
  __builtin_trap();
}

void scheduler_prepare() {
  // Large and sparsely used: a mapping of its own, so that what every run touches lies together in the arena.
  control.threads = static_cast<Thread*>(map_memory(sizeof(Thread) * HEDDLE_MAX_THREADS));
}

void scheduler_start() {
  const HeddleRun& run = region->run;
  discipline = discipline_of(run);
  control.segment_thread = ~0u;
  control.next_deadline = ~0ull;
  control.jump_step = ~0ull;
  control.dirty = true;
  control.live = 1;
  control.max_steps = run.max_steps ? run.max_steps : ~0ull;
  control.expect = area<uint32_t>(HEDDLE_AREA_EXPECT);
  control.expect_count = run.strict ? run.expect_count : 0;
  control.hash = 0xcbf29ce484222325ull;
  control.observe = recording.detail < HEDDLE_DETAIL_POINTS ? run.observe : 0;
  control.always_ask = wants_each_step() || control.observe;
  strategy = &strategy_of(run);
  const char* obstacle = run.backend == HEDDLE_BACKEND_FIBERS ? no_fibers() : "";
  if (obstacle && *obstacle) note("%s: the baton backend is used instead of fibers, which is slower", obstacle);
  backend = obstacle ? &baton_backend : &fiber_backend;
  strategy->start(run);
  discipline.start();
  Thread& main = new_thread(control.threads[0]);
  main.state = HEDDLE_T_RUNNING;
  main.enabled = true;
  main.info->state = HEDDLE_T_RUNNING;
  set_self(&main);
  discipline.first_thread(main);
}

}  // namespace heddle::rt
